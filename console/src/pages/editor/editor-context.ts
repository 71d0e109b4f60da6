import { createContext, type Dispatch, useContext } from 'react';
import type { DslDiffView, ErrorDetail, NodeTypeRow } from '../../api/client';
import type { Edit, JsonObject } from '../../model/document';
import type { EditorAction, EditorState } from '../../model/editor-state';
import type { NodeTypes } from '../../model/node-types';
import type { EditorPanel } from './route';

/** What the parts of the editor share. */
export interface EditorContextValue {
  readonly workflowId: string | null;
  readonly state: EditorState;
  readonly dispatch: Dispatch<EditorAction>;
  /** Applies an edit; a refusal is shown. */
  readonly edit: (edit: Edit, key?: string) => void;
  readonly nodeTypes: NodeTypes;
  readonly typeOf: (type: unknown) => NodeTypeRow | undefined;
  readonly problems: Problems;
  readonly openPanel: (panel: EditorPanel | undefined) => void;
  /** Outputs of steps of a run or trial, by the id of the step. */
  readonly sample: Sample;
  /** What canvas and code mark; null: nothing. */
  readonly comparison: Comparison | null;
  readonly compare: (comparison: Comparison | null) => void;
}

/** Another document, and how the steps differ from it. */
export interface Comparison {
  readonly before: JsonObject;
  readonly diff: DslDiffView;
}

/** Findings about the document as it is now. */
export interface Problems {
  readonly errors: readonly ErrorDetail[];
  readonly warnings: readonly ErrorDetail[];
  readonly isChecking: boolean;
}

/** Values of a run that expressions are shown with. */
export interface Sample {
  readonly runId: string | null;
  readonly trigger: unknown;
  readonly steps: Readonly<Record<string, unknown>>;
  /** The paths of the steps in the run of whose output only the beginning is here, by their ids. */
  readonly cut: Readonly<Record<string, string>>;
}

export const EditorContext = createContext<EditorContextValue | null>(null);

export function useEditor(): EditorContextValue {
  const value = useContext(EditorContext);
  if (value === null) throw new Error('useEditor is used outside of the editor');
  return value;
}
