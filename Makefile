# What there is to do. `make` lists it.

LISTEN ?= 127.0.0.1:8080
DATA ?=
EVAL ?=
READER ?=
POLICY ?=
PREFIX ?= /usr/local
DESTDIR ?=
PROCESSOR ?=

.DEFAULT_GOAL := help
.PHONY: help setup run demo test lint deny bench learn trace decoders api-test conformance clients train install uninstall package clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## check the tools and get the library of ONNX Runtime
	@tools/runtime.sh

run: setup ## build and start the service on LISTEN (127.0.0.1:8080), data in ./data
	cargo build --release
	exec target/release/otherwise serve --listen $(LISTEN) --data ./data --schemas ./schemas --models ./models

demo: setup ## build, and tell 30 days of a flight-booking service in a minute
	cargo build --release
	exec target/release/otherwise demo --models ./models

test: setup ## run every test, and try the clients
	cargo test --workspace
	tools/clients.sh target/debug/otherwise

lint: ## check the format and the lints
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings

deny: ## check licences, advisories, bans and sources of the dependencies, where cargo-deny is installed
	@if command -v cargo-deny >/dev/null 2>&1; then cargo deny --workspace check; \
	else echo "skipped: cargo-deny is not installed (cargo install --locked cargo-deny), so that no dependency was checked"; fi

bench: setup ## measure
	cargo bench

learn: setup ## measure what is learned from the streams in DATA, judged by EVAL; also READER=folder of answers, POLICY=file
	@test -d "$(DATA)" && test -d "$(EVAL)" || { echo "say where the streams and the scripts are: make learn DATA=folder EVAL=folder"; exit 2; }
	cargo build --release
	tools/learn.py target/release/otherwise --data "$(DATA)" --eval "$(EVAL)" $(if $(READER),--reader "$(READER)") $(if $(POLICY),--policy "$(POLICY)")

trace: setup ## say which requirements have tests
	python3 tools/trace.py

decoders: setup ## give every export to those who read it: llguidance, xgrammar, outlines-core, Pydantic, Zod, Ajv, google-genai, tsc, tokenizers
	cargo build
	tools/decoders.sh target/debug/otherwise

api-test: setup ## let schemathesis try every operation of the description of the HTTP interface
	cargo build
	tools/api.sh target/debug/otherwise

conformance: setup ## let the official clients of A2A and MCP, the suite of MCP and its inspector speak to the service
	cargo build
	if [ -n "$$A2A_TCK" ]; then cargo build --example a2a_suite_agent; fi
	tools/conformance.sh target/debug/otherwise

clients: setup ## try the client packages against the service, those whose interpreter is there
	cargo build
	cargo test --package otherwise-client
	tools/clients.sh target/debug/otherwise

train: ## train what is told of a sentence by its vector, from training/, into models/ (three minutes)
	python3 -m venv .train
	.train/bin/pip install --quiet --no-deps --require-hashes --only-binary :all: --requirement training/requirements.txt
	.train/bin/python training/train.py models
	for model in models/*/; do (cd $$model && LC_ALL=C sha256sum *.json *.onnx *.toml | LC_ALL=C sort -k 2 > SHA256SUMS); done

install: setup ## build and install below PREFIX (/usr/local): bin/otherwise, and share/otherwise with all that it needs
	cargo build --release
	tools/install.sh target/release/otherwise "$${ORT_DYLIB_PATH:-.runtime/onnxruntime/libonnxruntime.so.1.24.4}" "$(DESTDIR)$(PREFIX)"

uninstall: ## remove what `make install` put below PREFIX; data and settings stay
	rm -rf "$(DESTDIR)$(PREFIX)/bin/otherwise" "$(DESTDIR)$(PREFIX)/share/otherwise"

package: ## make the packages of this version in dist/: a tarball, its bill of materials, SHA256SUMS; PROCESSOR=aarch64 for the other
	tools/package.sh $(PROCESSOR)

clean: ## remove what was built and fetched; ./data stays
	cargo clean
	rm -rf .runtime .train dist
