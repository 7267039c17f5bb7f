const scheme = { name: "hidden" };
