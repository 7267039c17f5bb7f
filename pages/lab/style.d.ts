/** Style sheets are imported for the bundle: they have no value. */
declare module "*.css";
