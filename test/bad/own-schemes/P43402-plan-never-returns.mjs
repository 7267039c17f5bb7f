export default () => ({
  name: "endless",
  plan() {
    for (;;);
  },
});
