export default () => ({ name: "more", plan: () => ({}), programs: [] });
