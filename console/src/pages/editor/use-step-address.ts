import { type Dispatch, useCallback, useEffect, useRef } from 'react';
import { type JsonObject, pathText, placeOf } from '../../model/document';
import type { EditorAction } from '../../model/editor-state';

interface StepAddress {
  readonly document: JsonObject;
  /** The selected step. */
  readonly activeId: string | undefined;
  /** The step that the address names. */
  readonly shownStep: string | undefined;
  readonly go: (next: { step?: string }, replace?: boolean) => void;
  readonly dispatch: Dispatch<EditorAction>;
}

/** The address follows the selected step, and the selection an address that the browser went back to. Returns what opens a step by its id. */
export function useStepAddress({ document, activeId, shownStep, go, dispatch }: StepAddress): (id: string) => void {
  const synced = useRef(shownStep);
  useEffect(() => {
    if (shownStep === undefined || shownStep === activeId) {
      synced.current = shownStep;
      return;
    }
    const place = shownStep === synced.current ? undefined : placeOf(document, shownStep);
    if (place !== undefined) dispatch({ kind: 'select', keys: [pathText(place.path)] });
    else if (activeId !== undefined && activeId !== '') go({ step: activeId }, true);
    synced.current = activeId ?? shownStep;
  }, [shownStep, activeId, document, go, dispatch]);
  return useCallback(
    (id: string): void => {
      synced.current = id;
      go({ step: id });
    },
    [go],
  );
}
