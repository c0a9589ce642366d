# Everything a newcomer types. `make demo` and `make test` put in place what they need first.

SHELL := /bin/bash
.DEFAULT_GOAL := help
# Where rustup puts cargo, for shells that have not read ~/.cargo/env yet.
export PATH := $(PATH):$(HOME)/.cargo/bin

.PHONY: help setup build demo test test-long lint bench bench-hbase hbase hbase-stop clean

help: ## Lists these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Installs what the build needs and is missing: C++ compiler, libclang, the Rust toolchain
	@.ci/setup

build: setup ## Builds the program, target/debug/halite
	cargo build

demo: setup ## Loads flights, weather and generated data under several row keys and shows what each query scans
	cargo run -- demo

test: setup ## Runs every test, and says which are the slowest
	@.ci/test

# The tests of a name. Where no test has it, which cargo would pass over, this fails.
tests_of = cargo test $(1) -- --list | grep ': test$$' >/dev/null && cargo test $(1)

test-long: export HALITE_FRESH := 1
test-long: export HALITE_KILLS := 200
test-long: export HALITE_CUTS := 100
test-long: export HALITE_CASES := 20000
test-long: export HALITE_LAW_CASES := 2000000
test-long: export HALITE_WHOLE_CASES := 200000
test-long: export HALITE_FILE_CASES := 2000
test-long: export HALITE_MEANINGS := 2000
test-long: export HALITE_DOUBLES := 1000000
test-long: export HALITE_DAMAGES := 10000
test-long: export HALITE_FUZZ_SECONDS := 500
test-long: export HALITE_WORLDS := 1
test-long: export HALITE_INTERLEAVINGS := 500000
test-long: export HALITE_LIMITS := 1
test-long: export HALITE_CLUSTER_KILLS := 50
test-long: setup ## Runs kills, power cuts and other faults at length, also those of region servers, the law of spans on two million cases, that of files and 200,000 whole queries; two hours
	$(call tests_of,--test tests faults::)
	for round in {1..9}; do $(call tests_of,--test tests faults::race) || exit; done
	$(call tests_of,--test tests limits::)
	$(call tests_of,--lib store::rocksdb::damage)
	$(call tests_of,--lib store::versioned)
	$(call tests_of,--lib session::foreign_tests)
	$(call tests_of,--lib session::fuzz_tests)
	$(call tests_of,--lib session::whole)
	$(call tests_of,--lib session::double_tests)
	$(call tests_of,--lib plan::law)
	$(call tests_of,--lib file::law)
	.ci/files
	.ci/cluster servers

lint: setup ## Checks formatting, clippy, the documentation and, where it is installed, cargo deny; a warning is an error
	@.ci/lint

bench: setup ## Compares with raw RocksDB, SQLite, DuckDB and Parquet and writes docs/benchmarks.md; ROWS=… for a size, ONLY=… for some workloads, WALKS=… for so many random walks
	cargo --config benches/compare/bench.toml --config profile.dev.package.halite-compare.opt-level=0 \
		test --quiet -p halite-compare
	cargo --config benches/compare/bench.toml run -p halite-compare -- $(if $(ROWS),--rows $(ROWS)) $(if $(ONLY),--only "$(ONLY)") $(if $(WALKS),--walks $(WALKS))

bench-hbase: setup ## Compares Halite on HBase with HBase's Java client and Phoenix, on a cluster of its own, and writes docs/benchmarks-hbase.md; ROWS=… for a size, ONLY=… for some works; needs a JDK
	cargo --config benches/compare/bench.toml test --quiet -p halite-hbase
	cargo --config benches/compare/bench.toml run -p halite-hbase -- $(if $(ROWS),--rows $(ROWS)) $(if $(ONLY),--only "$(ONLY)")

hbase: ## Starts a small HBase on this machine, fetched from Maven Central the first time, and says how to reach it
	@.ci/hbase start

hbase-stop: ## Stops it; what it holds stays
	@.ci/hbase stop

clean: ## Removes what was built
	cargo clean
