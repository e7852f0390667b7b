#!/bin/sh
# usage: image.sh FOLDER
# Makes a Debian 12 that QEMU boots from memory: FOLDER/vmlinuz and FOLDER/root.cpio. A shell listens on its second serial port.
set -eu

mkdir -p "$1"
cd "$1"
rm -rf root
mmdebstrap --quiet --variant=minbase --include=systemd-sysv,udev,kmod,iproute2,iputils-ping,linux-image-cloud-amd64,procps,nftables \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' bookworm root
cp root/boot/vmlinuz-* vmlinuz

cat >root/etc/systemd/system/lab.service <<'END'
[Unit]
Description=Shell of the laboratory
[Service]
ExecStart=/bin/sh -c 'stty raw -echo; echo ready; exec sh 2>/dev/null'
StandardInput=tty
StandardOutput=tty
TTYPath=/dev/ttyS1
[Install]
WantedBy=multi-user.target
END
chroot root systemctl --quiet enable lab.service systemd-networkd.service
# Another name than of the machine that made it; a machine without an identifier gets one at each boot.
echo machine >root/etc/hostname
: >root/etc/machine-id
ln -sf sbin/init root/init

# Without what no test needs, it takes a third of the memory.
for module in root/lib/modules/*; do
    for part in gpu infiniband nvme scsi ata nvdimm md usb hid hv target input; do rm -rf "$module/kernel/drivers/$part"; done
    rm -rf "$module/kernel/drivers/net/ethernet" "$module/kernel/fs" "$module/kernel/sound"
    chroot root depmod "${module##*/}"
done
rm -rf root/boot root/usr/share/perl* root/usr/lib/*/perl* root/usr/lib/*/gconv root/usr/share/i18n root/usr/share/zoneinfo \
    root/usr/lib/udev/hwdb.* root/var/lib/apt/lists root/var/lib/dpkg/info root/var/cache
(cd root && find . -print0 | cpio --null --create --format=newc --quiet) >root.cpio.part
rm -rf root
mv root.cpio.part root.cpio
