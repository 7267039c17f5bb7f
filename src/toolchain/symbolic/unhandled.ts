/** Something that the symbolic execution does not follow: the path ends here, and its reason is reported. */
export class Unhandled extends Error {}
