export default (kit) => ({
  name: "broken",
  plan() { return }}
});
