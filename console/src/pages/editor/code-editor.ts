import {
  autocompletion,
  closeBrackets,
  type CompletionContext,
  completionKeymap,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, foldGutter, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { search, searchKeymap } from '@codemirror/search';
import { unifiedMergeView } from '@codemirror/merge';
import { Annotation, Compartment, EditorState } from '@codemirror/state';
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { Completion } from './completions';

interface CodeEditorOptions {
  readonly text: string;
  readonly onChange: (text: string) => void;
  /** The cursor was moved by the user. */
  readonly onCursor: (position: number, text: string) => void;
  /** Another text in place of a pasted one; null for the text as it is. */
  readonly onPaste: (text: string) => Promise<string | null>;
  readonly complete: (text: string, position: number) => { from: number; options: readonly Completion[] } | null;
}

/** An editor of JSON text in a shadow root, whose constructed style sheets the content policy allows. */
export interface CodeEditor {
  text(): string;
  hasFocus(): boolean;
  /** Changes the text without a report. */
  change(change: { from: number; to: number; insert: string }): void;
  /** Selects a range and scrolls to it. */
  show(range: { from: number; to: number }): void;
  mark(diagnostics: readonly Diagnostic[]): void;
  /** Shows the lines that differ from another text, with theirs above; null: no longer. */
  compareWith(other: string | null): void;
  close(): void;
}

const silent = Annotation.define<boolean>();

/** Colours are the custom properties of the page, which reach into a shadow root. */
const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: '12px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '18px' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--text-faint)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'var(--hover)' },
  '&.cm-focused .cm-selectionBackground, ::selection': { backgroundColor: 'var(--accent-soft)' },
  '.cm-tooltip': {
    border: '1px solid var(--border-strong)',
    backgroundColor: 'var(--surface-raised)',
    color: 'var(--text)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-deletedChunk': { backgroundColor: 'var(--danger-soft)' },
  '&.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--ok-soft)' },
  '&.cm-merge-b .cm-changedText': { background: 'none', textDecoration: 'underline' },
  '&.cm-merge-b .cm-deletedText': { background: 'none', textDecoration: 'underline' },
  '&.cm-merge-b .cm-changedLineGutter': { backgroundColor: 'var(--ok)' },
  '.cm-deletedLineGutter': { backgroundColor: 'var(--danger)' },
  // The characters of the library are in few fonts.
  '.cm-collapsedLines::before, .cm-collapsedLines::after': { content: '"⋯"' },
  '.cm-collapsedLines': { color: 'var(--text-muted)', background: 'var(--surface-sunken)' },
  '.cm-diagnostic': { fontFamily: 'var(--font)' },
  '.cm-panels': { backgroundColor: 'var(--surface-sunken)', color: 'var(--text)' },
});

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent-text)' },
  { tag: tags.string, color: 'var(--ok)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
]);

export function openCodeEditor(host: HTMLElement, options: CodeEditorOptions): CodeEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const parent = document.createElement('div');
  parent.style.height = '100%';
  const comparison = new Compartment();
  root.replaceChildren(parent);
  const view = new EditorView({
    parent,
    root,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        lineNumbers(),
        foldGutter(),
        lintGutter(),
        history(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        highlightActiveLine(),
        autocompletion({ override: [(context) => completionOf(context, options.complete)] }),
        search({ top: true }),
        json(),
        comparison.of([]),
        theme,
        syntaxHighlighting(colours),
        keymap.of([...completionKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
        EditorView.contentAttributes.of({ 'aria-label': 'Code of the workflow', tabindex: '0' }),
        EditorView.updateListener.of((update) => {
          const quiet = update.transactions.some((transaction) => transaction.annotation(silent) === true);
          if (quiet) return;
          if (update.docChanged) options.onChange(update.state.doc.toString());
          else if (update.selectionSet) options.onCursor(update.state.selection.main.head, update.state.doc.toString());
        }),
        EditorView.domEventHandlers({
          paste(event, target) {
            const text = event.clipboardData?.getData('text/plain') ?? '';
            if (text.trimStart().startsWith('{') || !/^[A-Za-z_]+:/m.test(text)) return false;
            event.preventDefault();
            void options.onPaste(text).then((other) => {
              const whole = other !== null;
              target.dispatch(
                whole
                  ? { changes: { from: 0, to: target.state.doc.length, insert: other } }
                  : target.state.replaceSelection(text),
              );
            });
            return true;
          },
        }),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    hasFocus: () => view.hasFocus,
    change: (change) => view.dispatch({ changes: change, annotations: silent.of(true) }),
    show: ({ from, to }) =>
      view.dispatch({
        selection: { anchor: from, head: from },
        effects: EditorView.scrollIntoView(from, { y: to - from > 2_000 ? 'start' : 'center' }),
        annotations: silent.of(true),
      }),
    mark: (diagnostics) => {
      const length = view.state.doc.length;
      const within = diagnostics.map((each) => ({
        ...each,
        from: Math.min(each.from, length),
        to: Math.min(each.to, length),
      }));
      view.dispatch(setDiagnostics(view.state, within));
    },
    compareWith: (other) =>
      view.dispatch({
        effects: comparison.reconfigure(
          other === null ? [] : unifiedMergeView({ original: other, mergeControls: false, collapseUnchanged: {} }),
        ),
      }),
    close: () => view.destroy(),
  };
}

function completionOf(context: CompletionContext, complete: CodeEditorOptions['complete']): CompletionResult | null {
  const found = complete(context.state.doc.toString(), context.pos);
  if (found === null || (!context.explicit && found.options.length === 0)) return null;
  return { from: found.from, options: [...found.options] };
}
