export default () => ({
  name: "throws",
  plan(topology) {
    return topology.nothing.here;
  },
});
