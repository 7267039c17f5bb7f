# The only door: every target installs what is missing first. Node 20+, npm and make are all it needs.
.PHONY: demo test check bench figures golden golden-rivals mutants build clean testbed-packages

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

# The whole suite. ROOM=fabric/topology (or ROOM=topology): the tests of a room, of those that import it, and the architecture test.
test: node_modules/.package-lock.json
	$(if $(ROOM),npx tsx tools/test-room.ts $(ROOM),npm run --silent test)

check: dist/.built
	npm run --silent check

bench: dist/.built
	npm run --silent bench

# Makes the measured figures of the pages: all quick ones, or PAGE=papers/dahu, BLOCK=NAME of it; SLOW=1 also the slow ones.
# RENDER=1 only writes the stored results into the pages; CHECK=1 compares them and names results that are out of date.
figures: node_modules/.package-lock.json
	npx tsx tools/figures/main.ts $(if $(PAGE),--page $(PAGE)) $(if $(BLOCK),--block $(BLOCK)) $(if $(SLOW),--slow) $(if $(RENDER),--render) $(if $(CHECK),--check)

# Rewrites all expected outputs: golden files and vitest's snapshots. Read the difference before you commit it.
golden: node_modules/.package-lock.json
	npm run --silent golden

# Replays the recordings of BMv2 and p4c through the real programs, which have to be on PATH. UPDATE=1 rewrites them.
golden-rivals: node_modules/.package-lock.json
	npx tsx tools/golden-rivals.ts $(if $(UPDATE),--update) $(NAMES)

# Mutation test of a room, for example ROOM=toolchain/p4/lower; SAMPLE=150 takes 150 mutants instead of all, TESTS="FILE ..." certain tests.
# PROCESSES=1 tries the tests that start processes, with SAMPLE=survivors after a run without. RECORD="fresh sample" writes the score into tools/mutants/scores.json.
mutants: node_modules/.package-lock.json
	$(if $(PROCESSES),P4LOOM_MUTANTS_PROCESSES=1) $(if $(RECORD),P4LOOM_MUTANTS_RECORD="$(RECORD)") node tools/mutants.mjs $(ROOM) $(SAMPLE) $(TESTS)

# What labs on real interfaces need (`p4loom net`, `p4loom run --engine switch`); Debian, root.
testbed-packages:
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends mininet iperf3 iproute2 ethtool iputils-ping

clean:
	rm -rf dist out
