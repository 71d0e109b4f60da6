import { createContext, useContext } from 'react';

/** False around what a viewer sees: controls with `edits` are not shown there. */
export const MayEdit = createContext(true);

/** True unless the control edits and the user may not. */
export const useShown = (edits: boolean): boolean => useContext(MayEdit) || !edits;
