// A program of its own: kit.template(name, "./switch.p4.hbs"), where name: any text.
export default () => ({
  title: "No name",
  plan: () => ({}),
});
