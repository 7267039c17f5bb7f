import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Lab } from "../state/lab.js";
import type { LabState } from "../state/lab-state.js";
import { useStore } from "../state/store.js";

export const LabContext = createContext<Lab | undefined>(undefined);

export function useLab(): Lab {
  const lab = useContext(LabContext);
  if (lab === undefined) throw new Error("no lab around this part of the page");
  return lab;
}

/** A part of the state; the component is drawn again when it changes. */
export function useLabState<T>(choose: (state: LabState) => T): T {
  return useStore(useLab().store, choose);
}
