import { Suspense, useEffect, useRef, useState } from 'react';
import {
  isObject,
  parsedData,
  pathText,
  parsePath,
  placeAround,
  placesOf,
  type JsonObject,
} from '../../model/document';
import { documentOf } from '../../model/editor-state';
import { lazyPart } from '../../app/lazy-page';
import { SkeletonRows } from '../../ui';
import { changeBetween, pathAt, positionsOf, rangeOf } from '../../model/json-positions';
import { useEditor } from './editor-context';
import { type CodeEditor, openCodeEditor } from './code-editor';
import { completionsAt } from './completions';
import styles from './code-view.module.css';

const textOf = (document: JsonObject): string => `${JSON.stringify(document, null, 2)}\n`;

const YamlView = lazyPart(() => import('./yaml-view'));

const FORMATS = [
  { key: 'json', label: 'JSON' },
  { key: 'yaml', label: 'YAML' },
] as const;

/** The document as JSON to edit, or as YAML to read and copy. */
export default function CodeView() {
  const { state } = useEditor();
  const [format, setFormat] = useState<'json' | 'yaml'>('json');
  return (
    <div className={styles.view}>
      <div className={styles.formats} role="group" aria-label="Format">
        {FORMATS.map(({ key, label }) => (
          <button key={key} type="button" aria-pressed={format === key} onClick={() => setFormat(key)}>
            {label}
          </button>
        ))}
      </div>
      {format === 'json' ? (
        <JsonCode />
      ) : (
        <Suspense fallback={<SkeletonRows rows={10} label="Loading the YAML" />}>
          <YamlView document={documentOf(state)} />
        </Suspense>
      )}
    </div>
  );
}

/** The document as text. A valid text is the document at once; an invalid one stays here until it is valid. */
function JsonCode() {
  const context = useEditor();
  const { state, dispatch, problems, comparison } = context;
  const document = documentOf(state);
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<CodeEditor | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  /** What the text stands for, so that an edit of its own does not come back to it. */
  const written = useRef(document);
  const latest = useRef({ context, document });
  latest.current = { context, document };

  useEffect(() => {
    if (host.current === null) return;
    const opened = openCodeEditor(host.current, {
      text: textOf(latest.current.document),
      onChange(text) {
        const parsed = read(text);
        setFault(parsed.fault);
        if (parsed.document === null) return;
        written.current = parsed.document;
        dispatch({ kind: 'replace', document: parsed.document, key: 'code' });
      },
      onCursor(position, text) {
        const parsed = read(text);
        if (parsed.document === null) return;
        const place = placeAround(placesOf(parsed.document), pathAt(positionsOf(text), position));
        if (place !== undefined) dispatch({ kind: 'select', keys: [pathText(place.path)] });
      },
      onPaste: async (text) => {
        const value = await parsedData(text);
        return isObject(value) && !text.trimStart().startsWith('{') ? textOf(value) : null;
      },
      complete: (text, position) => completionsAt(latest.current.context, text, position),
    });
    editor.current = opened;
    return () => {
      opened.close();
      editor.current = null;
    };
  }, [dispatch]);

  useEffect(() => {
    const opened = editor.current;
    if (opened === null || document === written.current) return;
    written.current = document;
    setFault(null);
    const change = changeBetween(opened.text(), textOf(document));
    if (change !== null) opened.change(change);
  }, [document]);

  const before = comparison?.before;
  useEffect(() => editor.current?.compareWith(before === undefined ? null : textOf(before)), [before]);

  const selected = state.selection.at(-1);
  useEffect(() => {
    const opened = editor.current;
    if (opened === null || selected === undefined || opened.hasFocus()) return;
    const range = rangeOf(positionsOf(opened.text()), parsePath(selected));
    if (range !== undefined) opened.show(range);
  }, [selected]);

  useEffect(() => {
    const opened = editor.current;
    if (opened === null) return;
    const text = opened.text();
    if (fault !== null) {
      opened.mark([]);
      return;
    }
    const positions = positionsOf(text);
    const marksOf = (severity: 'error' | 'warning', list: typeof problems.errors) =>
      list.map(({ path, message, hint }) => ({
        ...(rangeOf(positions, parsePath(path)) ?? { from: 0, to: 0 }),
        severity,
        message: [message, hint].filter(Boolean).join('; '),
      }));
    opened.mark([...marksOf('error', problems.errors), ...marksOf('warning', problems.warnings)]);
  }, [problems, fault]);

  return (
    <>
      <div ref={host} className={styles.host} />
      <p className={styles.fault} role="status">
        {fault ?? ''}
      </p>
    </>
  );
}

function read(text: string): { document: JsonObject | null; fault: string | null } {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value)
      ? { document: value, fault: null }
      : { document: null, fault: 'A workflow is a JSON object; the canvas shows the last valid text.' };
  } catch (error) {
    return {
      document: null,
      fault: `${error instanceof Error ? error.message : String(error)}. The canvas shows the last valid text.`,
    };
  }
}
