# The only door: every target installs what is missing first. Node 20+, npm and make are all it needs.
.PHONY: demo test check bench golden golden-rivals mutants build clean testbed-packages

NPM_CI = npm ci --ignore-scripts --no-audit --no-fund

node_modules/.package-lock.json: package.json package-lock.json
	$(NPM_CI)
	@touch $@

dist/.built: node_modules/.package-lock.json tsconfig.json tsconfig.build.json $(wildcard tools/*.mjs) $(shell find src pages/lab -type f)
	npm run --silent build
	@touch $@

build: dist/.built

demo: dist/.built
	node dist/cli/main.js run $(or $(EXPERIMENT),examples/pecmp-failover.yaml) --out $(or $(OUT),out/demo)

test: node_modules/.package-lock.json
	npm run --silent test

check: node_modules/.package-lock.json
	npm run --silent check

bench: dist/.built
	npm run --silent bench

# Rewrites all expected outputs: golden files and vitest's snapshots. Read the difference before you commit it.
golden: node_modules/.package-lock.json
	npm run --silent golden

# Replays the recordings of BMv2 and p4c through the real programs, which have to be on PATH. UPDATE=1 rewrites them.
golden-rivals: node_modules/.package-lock.json
	npx tsx tools/golden-rivals.ts $(if $(UPDATE),--update) $(NAMES)

# Mutation test of a room, for example ROOM=p4/lower; SAMPLE=150 takes 150 mutants instead of all, TESTS="FILE ..." certain tests.
mutants: node_modules/.package-lock.json
	node tools/mutants.mjs $(ROOM) $(SAMPLE) $(TESTS)

# What labs on real interfaces need (`p4loom net`, `p4loom run --engine switch`); Debian, root.
testbed-packages:
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends mininet iperf3 iproute2 ethtool iputils-ping

clean:
	rm -rf dist out
