export default () => ({
  name: "late",
  async plan() {
    return {};
  },
});
