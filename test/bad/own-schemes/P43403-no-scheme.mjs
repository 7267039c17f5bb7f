export default () => ({ name: "two words", plan: () => ({}) });
