# The steps, by name. What they do is Rust, or a short script in the room it belongs to.

LISTEN ?= 127.0.0.1:8080
DATA ?= data

.PHONY: run build bundle test lint bench quality

# Builds what is missing and starts the studio: `make run LISTEN=0.0.0.0:9000 DATA=/srv/crosspoint`
run: build
	target/release/crosspoint serve --listen $(LISTEN) --data $(DATA)

# Leaves the one binary, with the web bundle inside, at target/release/crosspoint.
build: bundle
	cargo build --locked --release --package server

# Leaves the web bundle in frontend/dist.
bundle:
	cargo run --locked --quiet --package bundle

# Every test, the ones in a real browser and in real network namespaces included.
test: build
	e2e/setup.sh
	cargo test --locked --workspace

lint:
	frontend/setup/lint.sh

# Minutes: what moves cost, how fast what is published is reached, how soon a search can be cancelled.
bench:
	cargo bench --locked --package search --bench moves --bench published --bench cancel
	cargo bench --locked --package simulate --bench speed --bench figure9 --bench bisection

# Hours: how narrow switches may be, over ten seeds of a minute. One demand, or less: `make quality QUALITY="KASY0 seeds=3"`
quality:
	cargo bench --locked --package search --bench quality -- $(QUALITY)
