# Names for the steps of building and testing.

LISTEN ?= 127.0.0.1:8080
DATA ?= data
TARGET = $(abspath $(or $(CARGO_TARGET_DIR),target))

.PHONY: run build static bundle bundler test setup programs packages check chaos site-check tasks lighthouse picture lint bench quality

# Builds and starts the studio: `make run LISTEN=0.0.0.0:9000 DATA=/srv/crosspoint`
run: build
	$(TARGET)/release/crosspoint serve --listen $(LISTEN) --data $(DATA)

# Builds target/release/crosspoint, which contains the web bundle.
build: bundle
	cargo build --locked --release --package server

# Builds a program without shared libraries, for any Linux on this processor. Needs musl-gcc (package musl-tools in Debian).
STATIC = $(shell uname -m)-unknown-linux-musl
static: bundle
	rustup target add $(STATIC)
	cargo build --locked --release --package server --target $(STATIC)

# Builds the web bundle in frontend/dist. Its program is started without cargo, whose lock a build of other programs holds.
bundle: bundler
	$(TARGET)/debug/bundle

bundler:
	cargo build --locked --quiet --package bundle

# Runs all tests, including those in a browser and in network namespaces. The web bundle, the programs and their downloads do not wait
# for each other, and neither do the tests of two programs. The server contains the bundle, so it is built again after it.
test:
	$(MAKE) --jobs 3 setup bundle programs
	$(MAKE) programs
	$(MAKE) --jobs 2 --keep-going --output-sync=target packages $(addprefix outside-,$(OUTSIDE))

# The programs of the tests from outside, by their files; those of minutes come first.
MINUTES = tools studio lab cluster
OUTSIDE = $(MINUTES) $(filter-out $(MINUTES),\
	$(notdir $(basename $(wildcard e2e/tests/*.rs)) $(patsubst %/main.rs,%,$(wildcard e2e/tests/*/main.rs))))

setup:
	e2e/setup.sh

programs: bundler
	cargo test --locked --workspace --no-run

packages:
	cargo test --locked --workspace --exclude e2e

outside-%:
	cargo test --locked --workspace --test $*

# Tests and lints of one package: `make check CRATE=shared`
check:
	cargo clippy --locked --package $(CRATE) --all-targets -- --deny warnings
	cargo test --locked --package $(CRATE)

# These try the released program.
chaos site-check tasks lighthouse picture: export CROSSPOINT_BIN = $(TARGET)/release/crosspoint

# Load and faults, which take minutes; prints figures.
chaos: build
	cargo test --locked --package e2e --test chaos --test cluster -- --include-ignored --test-threads 1 --nocapture

# NetBox imports the exported files, and machines boot with them in QEMU. Takes minutes; installs both first, as root.
site-check: build
	e2e/setup.sh --machines
	e2e/site.sh
	cargo test --locked --package e2e --test site --test machines --test lab -- --ignored --nocapture --test-threads 1

# Long tasks of the page on every tab, for 1,024 and 65,536 nodes; prints figures.
tasks: build
	cargo bench --locked --package e2e --profile dev --bench tasks

# Scores of Lighthouse for each page, on a desktop and on a phone; prints figures. Takes minutes.
lighthouse: build setup
	cargo bench --locked --package e2e --profile dev --bench lighthouse -- runs=3

# Takes the picture of the studio that README.md shows.
picture: build
	cargo test --locked --package e2e --test studio -- --ignored --exact frame::the_picture_of_the_readme

lint:
	frontend/setup/lint.sh

# Benchmarks that take minutes.
bench:
	cargo bench --locked --package search --bench moves --bench published --bench cancel
	cargo bench --locked --package simulate --bench speed --bench figure9 --bench bisection

# Search quality over ten seeds, which takes hours. For one demand: `make quality QUALITY="KASY0 seeds=3"`
quality:
	cargo bench --locked --package search --bench quality -- $(QUALITY)
