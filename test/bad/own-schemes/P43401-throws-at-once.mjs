const limit = undefined;
limit.size = 3;
export default () => ({});
