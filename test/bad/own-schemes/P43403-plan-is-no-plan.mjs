export default () => ({
  name: "empty",
  plan: () => ({ programs: [], switches: [] }),
});
