/** Node's own `import()`, without the transformation of vitest: places in modules stay. */
module.exports = (url) => import(url);
