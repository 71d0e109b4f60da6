import {
  changed,
  type Edit,
  type History,
  historyOf,
  type JsonObject,
  type Path,
  parsePath,
  pathText,
  placesOf,
  redone,
  undone,
} from './document';

/** What the editor shows. The document is the only state that is saved. */
export interface EditorState {
  readonly history: History<JsonObject>;
  /** Texts of the paths of the selected steps; the last is the one with the focus. An empty list may be selected, too. */
  readonly selection: readonly string[];
  /** Why the last edit was refused. */
  readonly problem: string | null;
  /** The document as it is stored: the draft, or else the live one. */
  readonly saved: JsonObject;
}

export type EditorAction =
  /** `key`: edits with the same key in a row are undone together. */
  | { readonly kind: 'edit'; readonly edit: Edit; readonly key?: string }
  /** `from`: edits of this kind in a row are undone together. */
  | { readonly kind: 'replace'; readonly document: JsonObject; readonly key?: string }
  | { readonly kind: 'select'; readonly keys: readonly string[] }
  | { readonly kind: 'undo' }
  | { readonly kind: 'redo' }
  | { readonly kind: 'saved'; readonly document: JsonObject };

export const editorStateOf = (document: JsonObject, saved: JsonObject = document): EditorState => ({
  history: historyOf(document),
  selection: [],
  problem: null,
  saved,
});

export const documentOf = ({ history }: EditorState): JsonObject => history.present;

/** Whether there is something that a reload would lose. */
export const isDirty = ({ history, saved }: EditorState): boolean =>
  history.present !== saved && JSON.stringify(history.present) !== JSON.stringify(saved);

export function reduceEditor(state: EditorState, action: EditorAction): EditorState {
  switch (action.kind) {
    case 'edit': {
      const { edit, key } = action;
      if (!edit.ok) return { ...state, problem: edit.problem };
      return {
        ...state,
        history: changed(state.history, edit.document, key ?? null),
        selection: edit.select.length > 0 ? edit.select.map(pathText) : state.selection,
        problem: null,
      };
    }
    case 'replace':
      return withSelection({
        ...state,
        history: changed(state.history, action.document, action.key ?? null),
        problem: null,
      });
    case 'select':
      return sameKeys(action.keys, state.selection) ? state : { ...state, selection: action.keys, problem: null };
    case 'undo':
      return withSelection({ ...state, history: undone(state.history), problem: null });
    case 'redo':
      return withSelection({ ...state, history: redone(state.history), problem: null });
    case 'saved':
      return { ...state, saved: action.document };
  }
}

const sameKeys = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((key, index) => key === b[index]);

/** Without selected steps that are gone. */
function withSelection(state: EditorState): EditorState {
  if (state.selection.length === 0) return state;
  const there = new Set(placesOf(state.history.present).map(({ path }) => pathText(path)));
  const selection = state.selection.filter((key) => there.has(key));
  return selection.length === state.selection.length ? state : { ...state, selection };
}

export const selectedPaths = ({ selection }: EditorState): Path[] => selection.map(parsePath);
