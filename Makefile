# Names for the steps of building and testing.

LISTEN ?= 127.0.0.1:8080
DATA ?= data

.PHONY: run build bundle test chaos site-check tasks lint bench quality

# Builds and starts the studio: `make run LISTEN=0.0.0.0:9000 DATA=/srv/crosspoint`
run: build
	target/release/crosspoint serve --listen $(LISTEN) --data $(DATA)

# Builds target/release/crosspoint, which contains the web bundle.
build: bundle
	cargo build --locked --release --package server

# Builds the web bundle in frontend/dist.
bundle:
	cargo run --locked --quiet --package bundle

# Runs all tests, including those in a browser and in network namespaces.
test: build
	e2e/setup.sh
	cargo test --locked --workspace

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

lint:
	frontend/setup/lint.sh

# Benchmarks that take minutes.
bench:
	cargo bench --locked --package search --bench moves --bench published --bench cancel
	cargo bench --locked --package simulate --bench speed --bench figure9 --bench bisection

# Search quality over ten seeds, which takes hours. For one demand: `make quality QUALITY="KASY0 seeds=3"`
quality:
	cargo bench --locked --package search --bench quality -- $(QUALITY)
