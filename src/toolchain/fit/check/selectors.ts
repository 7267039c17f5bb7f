/** Rules of action selectors: sizes of groups, and tables that share one (p4c, common/extract_maupipe.cpp and mau/handle_assign.cpp). */
import { CODES } from "../codes.js";
import { mostMembers, wideGroup } from "../memory/selectors.js";
import type { Unit } from "../model/model.js";
import type { CheckContext } from "./check-context.js";

export function checkSelectors(context: CheckContext): void {
  const { units } = context.model;
  for (const unit of units) checkSizes(context, unit);
  for (const [i, unit] of units.entries()) {
    const first = units.slice(0, i).find((other) => isShared(unit, other));
    if (first !== undefined) checkShared(context, unit, first);
  }
}

function checkSizes({ target, refuse }: CheckContext, { implementation, source, name }: Unit): void {
  const selector = implementation?.selector;
  if (implementation === undefined || selector === undefined) return;
  const of = `the selector ${selector.name ?? implementation.name} of table ${name}`;
  const most = mostMembers(target);
  const { maxGroup, groups } = selector;
  if (maxGroup < 1 || (most !== undefined && maxGroup > most))
    refuse(
      CODES.selectorGroup,
      source,
      `${of} has groups of at most ${maxGroup} members`,
      most === undefined
        ? "state at least 1 member"
        : `state 1 to ${most} members; a group of more than ${target.selector.members_per_word} takes several words of memory`,
    );
  if (groups < 1)
    refuse(
      CODES.selectorGroup,
      source,
      `${of} has ${groups} groups`,
      "state how many groups there can be at once, at least 1",
    );
}

const isShared = ({ implementation: one }: Unit, { implementation: other }: Unit): boolean =>
  one?.selector !== undefined &&
  one.name === other?.name &&
  one.selector.name === other.selector?.name &&
  other.selector !== undefined;

/** The remainder that chooses the word of a large group belongs to one logical table. */
function checkShared({ target, refuse }: CheckContext, unit: Unit, first: Unit): void {
  const { implementation } = unit;
  const selector = implementation?.selector;
  if (selector === undefined || wideGroup(implementation, target) === undefined) return;
  const most = target.selector.members_per_word;
  refuse(
    CODES.selectorShared,
    unit.source,
    `table ${unit.name} shares the selector ${selector.name ?? implementation?.name} of groups of at most ${selector.maxGroup} members with table ${first.name}`,
    `groups of tables that share a selector have at most ${most} members: state at most ${most}, or give each table a selector of its own`,
  );
}
