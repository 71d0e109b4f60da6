import { useBlocker } from '@tanstack/react-router';
import { type KeyboardEvent, Suspense, useCallback, useEffect, useMemo, useReducer, useRef, useState } from 'react';
import type { DraftView, WorkflowView } from '../../api/client';
import { lazyPart } from '../../app/lazy-page';
import {
  type BlockType,
  type Edit,
  idsOf,
  insertSteps,
  type JsonObject,
  newId,
  newStep,
  pathText,
  placeOf,
  placesOf,
  type Target,
  targetAt,
  unwrapStep,
  wrapSteps,
} from '../../model/document';
import { documentOf, editorStateOf, isDirty, reduceEditor, selectedPaths } from '../../model/editor-state';
import type { NodeTypes } from '../../model/node-types';
import { ConfirmDialog, Notice, SkeletonRows, toast, toastError } from '../../ui';
import { Canvas } from './canvas';
import { clipboardHandlers } from './clipboard-handlers';
import { ConflictPanel } from './conflict-panel';
import { type Comparison, EditorContext, type EditorContextValue } from './editor-context';
import { EditorHeader } from './editor-header';
import { allBeside, editOfKey } from './editor-keys';
import styles from './editor.module.css';
import { FirstSteps } from './first-steps';
import { KeptNotice } from './kept-notice';
import { Panel } from './panel';
import { type EditorPanel, editorRoute } from './route';
import { StepPanel } from './step-panel';
import { TypePicker } from './type-picker';
import { restored, useKept } from './use-kept';
import { useSample } from './use-sample';
import { useShortcuts } from './use-shortcuts';
import { useStepAddress } from './use-step-address';
import { useStorage } from './use-storage';
import { useValidation } from './use-validation';
import { WrapPanel } from './wrap-panel';

const CodeView = lazyPart(() => import('./code-view'));

interface EditorProps {
  readonly workflow: WorkflowView | null;
  readonly draft: DraftView | null;
  readonly document: JsonObject;
  readonly nodeTypes: NodeTypes;
  /** A new workflow has got its id. */
  readonly onCreated: (id: string) => void;
}

/** One document with its views. All edits go through `dispatch`. */
export function Editor({ workflow, draft, document: opened, nodeTypes, onCreated: created }: EditorProps) {
  const onCreated = useRef(created);
  onCreated.current = created;
  const search = editorRoute.useSearch();
  const navigate = editorRoute.useNavigate();
  const [state, dispatch] = useReducer(reduceEditor, opened, (document) => openedState(document, search.step));
  const document = documentOf(state);
  const storage = useStorage({ workflow, draft }, state.saved, dispatch);
  const problems = useValidation(document);
  const sample = useSample(search.run);
  const [adding, setAdding] = useState<Target | null>(null);
  const [wrapping, setWrapping] = useState(false);
  const [comparison, compare] = useState<Comparison | null>(null);
  const [takesFocus, setTakesFocus] = useState(false);
  const dirty = isDirty(state);
  const kept = useKept(storage.workflow?.id ?? null, document, state.saved, dirty);
  const view = search.view ?? 'canvas';

  const places = useMemo(() => placesOf(document), [document]);
  const active = places.find(({ path }) => pathText(path) === state.selection.at(-1));
  const open = search.step !== undefined && search.panel === undefined ? active : undefined;

  const go = useCallback(
    (next: { step?: string; panel?: EditorPanel }, replace = false): void =>
      void navigate({ search: (previous) => ({ ...previous, step: undefined, panel: undefined, ...next }), replace }),
    [navigate],
  );
  const openPanel = useCallback(
    (panel: EditorPanel | undefined): void => {
      setAdding(null);
      setWrapping(false);
      go({ panel });
    },
    [go],
  );
  const edit = useCallback((result: Edit, key?: string): void => dispatch({ kind: 'edit', edit: result, key }), []);
  const typeOf = useCallback(
    (type: unknown) => (typeof type === 'string' ? nodeTypes.get(type) : undefined),
    [nodeTypes],
  );

  const showStep = useStepAddress({ document, activeId: active?.id, shownStep: search.step, go, dispatch });

  const latest = useRef(document);
  latest.current = document;

  const openStep = useCallback(
    (key: string, byKeyboard = false): void => {
      const place = placesOf(latest.current).find(({ path }) => pathText(path) === key);
      setAdding(null);
      setWrapping(false);
      setTakesFocus(byKeyboard);
      dispatch({ kind: 'select', keys: [key] });
      if (place !== undefined && place.id !== '') showStep(place.id);
    },
    [showStep],
  );
  const onMove = useCallback(() => setTakesFocus(false), []);
  const onAdd = useCallback((target: Target): void => {
    setWrapping(false);
    setAdding(target);
  }, []);
  const pick = (type: string): void => {
    if (adding === null) return;
    const result = insertSteps(document, adding, [newStep(type, newId(shortName(type), idsOf(document)))]);
    edit(result);
    setAdding(null);
    setTakesFocus(true);
    const [path] = result.ok ? result.select : [];
    const place =
      result.ok && path !== undefined
        ? placesOf(result.document).find((each) => pathText(each.path) === pathText(path))
        : undefined;
    if (place === undefined) return;
    showStep(place.id);
  };
  const wrap = (type: BlockType): void => {
    setWrapping(false);
    edit(wrapSteps(document, selectedPaths(state), type));
    focusCanvas();
  };
  const save = async (): Promise<void> => {
    try {
      const saved = await storage.save(document);
      if (saved === null) return;
      kept.forget();
      toast(
        storage.workflow === null
          ? `${saved.name} is saved as a draft; publish it to make it live`
          : 'The draft is saved',
      );
    } catch (error) {
      toastError(error);
    }
  };

  const createdId = workflow === null ? storage.workflow?.id : undefined;
  useEffect(() => {
    if (createdId !== undefined) onCreated.current(createdId);
  }, [createdId]);

  const restore = (): void => {
    if (kept.found === null) return;
    const { document: whole, conflicts } = restored(kept.found, state.saved);
    dispatch({ kind: 'replace', document: whole });
    if (conflicts.length > 0) toast(`Saved meanwhile, too, and replaced by yours: ${conflicts.join(', ')}`);
    kept.dismiss();
    focusCanvas();
  };

  const close = (): void => {
    setAdding(null);
    setWrapping(false);
    go({});
    focusCanvas();
  };

  const onKey = (event: KeyboardEvent): void => {
    const selection = selectedPaths(state);
    const result = editOfKey(event, document, selection);
    if (result !== null) {
      event.preventDefault();
      edit(result);
      return;
    }
    const command = event.ctrlKey || event.metaKey;
    const act = command ? COMMANDS[event.key.toLowerCase()] : KEYS_ALONE[event.key];
    if (act === undefined || event.altKey) return;
    event.preventDefault();
    switch (act) {
      case 'add':
        return onAdd(targetAt(document, selection, 'after'));
      case 'add-before':
        return onAdd(targetAt(document, selection, 'before'));
      case 'wrap':
        if (selection.length > 0) setWrapping(true);
        return;
      case 'unwrap':
        return edit(unwrapStep(document, selection.at(-1) ?? []));
      case 'find':
        return window.document.getElementById('find-step')?.focus();
      case 'all':
        return dispatch({ kind: 'select', keys: allBeside(document, selection.at(-1)) });
      case 'close':
        return close();
    }
  };

  useShortcuts({
    onSave: () => {
      if (!storage.isBusy) void save();
    },
    onUndo: () => dispatch({ kind: 'undo' }),
    onRedo: () => dispatch({ kind: 'redo' }),
  });
  const clipboard = clipboardHandlers(state, edit);

  const context = useMemo<EditorContextValue>(
    () => ({
      workflowId: storage.workflow?.id ?? null,
      state,
      dispatch,
      edit,
      nodeTypes,
      typeOf,
      problems,
      openPanel,
      sample,
      comparison,
      compare,
    }),
    [storage.workflow?.id, state, edit, nodeTypes, typeOf, problems, openPanel, sample, comparison],
  );

  const panel =
    storage.conflict !== null ? (
      <ConflictPanel conflict={storage.conflict} storage={storage} onDone={focusCanvas} />
    ) : adding !== null ? (
      <TypePicker title="Add a step" onPick={pick} onClose={close} />
    ) : wrapping ? (
      <WrapPanel onPick={wrap} onClose={close} />
    ) : search.panel !== undefined ? (
      <Panel panel={search.panel} storage={storage} onClose={close} onOpenStep={openStep} />
    ) : open !== undefined ? (
      <StepPanel key={pathText(open.path)} place={open} takesFocus={takesFocus} onClose={close} />
    ) : null;

  return (
    <EditorContext value={context}>
      <div className={styles.editor} {...clipboard}>
        <EditorHeader storage={storage} dirty={dirty} view={view} onSave={() => void save()} onOpenStep={openStep} />
        <div className={styles.work} data-view={view} data-panel={panel === null ? undefined : true}>
          {view !== 'code' && (
            <div className={styles.main}>
              <div className={styles.notices}>
                {kept.found !== null && <KeptNotice onRestore={restore} onDiscard={kept.forget} />}
                <Problem text={state.problem} />
              </div>
              <Canvas
                onAdd={onAdd}
                adding={adding}
                onOpen={openStep}
                onMove={onMove}
                onKey={onKey}
                statuses={sample.statuses}
              />
              {places.length === 0 && <FirstSteps />}
            </div>
          )}
          {view !== 'canvas' && (
            <div className={styles.code} data-code>
              <Suspense fallback={<SkeletonRows rows={10} label="Loading the code" />}>
                <CodeView />
              </Suspense>
            </div>
          )}
          {panel}
        </div>
        <LeaveDialog dirty={dirty} onLeave={kept.forget} />
      </div>
    </EditorContext>
  );
}

type Act = 'add' | 'add-before' | 'wrap' | 'unwrap' | 'find' | 'all' | 'close';
const KEYS_ALONE: Readonly<Record<string, Act>> = {
  a: 'add',
  A: 'add-before',
  w: 'wrap',
  u: 'unwrap',
  '/': 'find',
  Escape: 'close',
};
const COMMANDS: Readonly<Record<string, Act>> = { a: 'all', f: 'find' };

function openedState(document: JsonObject, step: string | undefined) {
  const state = editorStateOf(document);
  const place = step === undefined ? undefined : placeOf(document, step);
  return place === undefined ? state : { ...state, selection: [pathText(place.path)] };
}

/** `slack.post_message` gives steps named `post_message`. */
const shortName = (type: string): string => type.slice(type.indexOf('.') + 1);

const focusCanvas = (): void => window.document.querySelector<HTMLElement>('[role="listbox"]')?.focus();

/** Asks before unsaved changes are left, by a link or by closing the page. */
function LeaveDialog({ dirty, onLeave }: { readonly dirty: boolean; readonly onLeave: () => void }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => dirty && current.pathname !== next.pathname,
    enableBeforeUnload: dirty,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return (
    <ConfirmDialog
      title="Leave without saving?"
      action="Leave"
      danger
      onConfirm={() => {
        onLeave();
        blocker.proceed();
        return Promise.resolve();
      }}
      onClose={blocker.reset}
    >
      <p>The changes since the last save are lost. To keep them, stay and press Ctrl S.</p>
    </ConfirmDialog>
  );
}

/** Why the last edit was refused. */
const Problem = ({ text }: { readonly text: string | null }) =>
  text === null ? null : <Notice tone="warn">{text}</Notice>;
