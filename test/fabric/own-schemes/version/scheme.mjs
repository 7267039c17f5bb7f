/**
 * Hosts whose selectors have a version bit, and a controller that moves it on all of them: what an update of P-ECMP does with
 * its hosts. A controller that is started again asks the hosts which version they use.
 */
const VERSION_BIT = 32;

export default (kit) => ({
  name: "version",

  commands: { move: kit.z.strictObject({ version: kit.z.number().int().min(0).max(1) }) },

  plan(topology) {
    const { programs, switches } = kit.schemes.prr.plan(
      topology,
      kit.schemes.prr.parameters.parse({ field: "dscp" }),
    );
    const controller = {
      async start({ hosts, watchHosts, watchCommands, clock, log, incarnation }) {
        watchHosts(({ host, message }) => log(`${host.name} tells ${JSON.stringify(message)}`));
        watchCommands(async ({ name, values }) => {
          const moved = await Promise.all(hosts.map(({ ask }) => ask(values)));
          log(`${name}: ${moved.map(({ version }) => version).join(" ")}`);
        });
        const known = await Promise.all(hosts.map(({ ask }) => ask("which")));
        log(`versions: ${known.join(" ")}`);
        if (incarnation > 1) return;
        await clock.sleep(100e6);
        const moved = await Promise.all(hosts.map(({ ask }) => ask({ version: 1 })));
        log(`moved: ${moved.map(({ version }) => version).join(" ")}`);
      },
    };
    return {
      programs,
      switches,
      hosts: {},
      controllers: [{ name: "mover", switches: [switches[0].node], controller }],
    };
  },

  hosts(_description, { name, tell }) {
    let version = 0;
    return {
      needs: ["messages"],
      open: () => ({
        get selector() {
          return version * VERSION_BIT;
        },
        onTimeout: () => [version * VERSION_BIT],
        onAck() {},
        onData: () => [version * VERSION_BIT],
      }),
      onMessage(message) {
        if (message === "which") return version;
        ({ version } = message);
        tell({ uses: version });
        return { name, version };
      },
    };
  },
});
