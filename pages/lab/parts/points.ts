import { t } from "../language/texts.js";

/** Points of a test or an exercise as text. */
export const pointsText = (points: number): string => t("tests.points", { count: points });
