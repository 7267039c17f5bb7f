export default () => ({
  name: "ends",
  plan: () => process.exit(0),
});
