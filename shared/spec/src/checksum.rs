//! CRC-32, the checksum of gzip files and PNG images (RFC 1952, 8; ISO 3309).

/// Remainder of each byte.
const REMAINDERS: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut remainder, mut bit) = (byte as u32, 0);
        while bit < 8 {
            remainder = if remainder & 1 == 1 { 0xedb8_8320 ^ (remainder >> 1) } else { remainder >> 1 };
            bit += 1;
        }
        table[byte] = remainder;
        byte += 1;
    }
    table
};

/// The checksum of bytes after those of another checksum, which is 0 for none.
pub fn crc32(before: u32, bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!before, |crc, byte| REMAINDERS[usize::from(crc as u8 ^ byte)] ^ (crc >> 8))
}
