import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, useContext, useMemo, useState } from 'react';
import { pathText, placesOf } from '../../model/document';
import { documentOf } from '../../model/editor-state';
import { ActionList, Badge, Button, IconButton, Input, MayEdit, Popover } from '../../ui';
import {
  ChevronLeftIcon,
  CodeIcon,
  CompletedIcon,
  AlertIcon,
  GenerateIcon,
  HelpIcon,
  MoreIcon,
  RedoIcon,
  TriggerIcon,
  TryIcon,
  UndoIcon,
  VersionsIcon,
  WorkflowIcon,
} from '../../ui/icon';
import { useEditor } from './editor-context';
import { KEYS } from './editor-keys';
import styles from './editor.module.css';
import { editorRoute, type EditorView } from './route';
import type { Storage } from './use-storage';
import { WorkflowName } from './workflow-name';

const VIEWS: readonly { readonly key: EditorView; readonly label: string }[] = [
  { key: 'canvas', label: 'Canvas' },
  { key: 'split', label: 'Both' },
  { key: 'code', label: 'Code' },
];

interface HeaderProps {
  readonly storage: Storage;
  readonly dirty: boolean;
  readonly view: EditorView;
  readonly onSave: () => void;
  readonly onOpenStep: (key: string) => void;
}

/** Name, the three states of the document, and what can be done with it. */
export function EditorHeader({ storage, dirty, view, onSave, onOpenStep }: HeaderProps) {
  const { state, dispatch, problems, openPanel } = useEditor();
  const navigate = editorRoute.useNavigate();
  const { workflow, draft, isBusy } = storage;
  const mayEdit = useContext(MayEdit);
  const { past, future } = state.history;
  const name = workflow?.name ?? 'New workflow';
  const isSaved = !dirty && workflow !== null;
  return (
    <header className={styles.header}>
      <title>{`${name} · Everstep`}</title>
      <div className={styles.title}>
        <Link
          to="/workflows"
          className="button button-ghost button-small button-icon"
          aria-label="All workflows"
          title="All workflows"
        >
          <ChevronLeftIcon size={16} aria-hidden="true" />
        </Link>
        <WorkflowName storage={storage} />
      </div>
      <div className={styles.states} role="status" aria-label="State of the document">
        {!mayEdit && <Badge>View only</Badge>}
        <Badge tone={isSaved ? 'ok' : 'warn'}>{isSaved ? 'Saved' : 'Not saved'}</Badge>
        <Badge tone={draft === null ? 'neutral' : 'info'}>{draft === null ? 'No draft' : 'Draft'}</Badge>
        <Badge tone={workflow?.enabled === true ? 'ok' : 'neutral'}>{liveText(storage)}</Badge>
      </div>
      <div className={styles.tools}>
        <ProblemsButton />
        <FindStep onOpenStep={onOpenStep} />
        <span className={styles.group}>
          <IconButton
            icon={UndoIcon}
            label="Undo (Ctrl Z)"
            disabled={past.length === 0}
            onClick={() => dispatch({ kind: 'undo' })}
          />
          <IconButton
            icon={RedoIcon}
            label="Redo (Ctrl Shift Z)"
            disabled={future.length === 0}
            onClick={() => dispatch({ kind: 'redo' })}
          />
        </span>
        <div className={styles.views} role="group" aria-label="View">
          {VIEWS.map(({ key, label }) => (
            <button
              key={key}
              type="button"
              className={styles.view}
              aria-pressed={view === key}
              onClick={() =>
                void navigate({
                  search: (previous) => ({ ...previous, view: key === 'canvas' ? undefined : key }),
                  replace: true,
                })
              }
            >
              {label}
            </button>
          ))}
        </div>
        <Button edits icon={TryIcon} onClick={() => openPanel('try')}>
          Try
        </Button>
        <Button edits busy={isBusy} disabled={!dirty} onClick={onSave} title="Save the draft (Ctrl S)">
          Save
        </Button>
        <Button
          edits
          kind="primary"
          disabled={!dirty && draft === null && workflow !== null}
          onClick={() => openPanel('publish')}
        >
          Publish
        </Button>
        <Popover
          label="More of the editor"
          align="end"
          trigger={(props) => <IconButton {...props} icon={MoreIcon} label="More of the editor" />}
        >
          {(close) => (
            <ActionList
              close={close}
              actions={[
                { label: 'Triggers', icon: TriggerIcon, onSelect: () => openPanel('triggers') },
                {
                  label: 'Versions',
                  icon: VersionsIcon,
                  disabled: workflow === null,
                  onSelect: () => openPanel('versions'),
                },
                {
                  label: 'Used by',
                  icon: WorkflowIcon,
                  disabled: workflow === null,
                  onSelect: () => openPanel('used-by'),
                },
                { edits: true, label: 'Generate by prompt', icon: GenerateIcon, onSelect: () => openPanel('generate') },
                { label: 'Edit elsewhere', icon: CodeIcon, onSelect: () => openPanel('schema') },
              ]}
            />
          )}
        </Popover>
        <Popover
          label="Keys"
          align="end"
          trigger={(props) => <IconButton {...props} icon={HelpIcon} label="Keys of the editor" />}
        >
          {() => (
            <dl className={styles.keys}>
              {KEYS.map(([key, text]) => (
                <div key={key} style={{ display: 'contents' }}>
                  <dt>{key}</dt>
                  <dd>{text}</dd>
                </div>
              ))}
            </dl>
          )}
        </Popover>
      </div>
      <span className="visually-hidden" aria-live="polite">
        {problems.isChecking ? '' : `${problems.errors.length} problems`}
      </span>
    </header>
  );
}

function liveText({ workflow }: Storage): string {
  if (workflow === null || workflow.version === 0) return 'Not live';
  if (workflow.status === 'pending_approval') return `Version ${workflow.version} waits for approval`;
  return workflow.enabled ? `Live: version ${workflow.version}` : `Version ${workflow.version}, disabled`;
}

function ProblemsButton() {
  const { problems, openPanel } = useEditor();
  const count = problems.errors.length;
  if (count === 0 && problems.warnings.length === 0) {
    return problems.isChecking ? null : (
      <Badge tone="ok">
        <CompletedIcon size={12} aria-hidden="true" /> Valid
      </Badge>
    );
  }
  return (
    <Button size="small" kind="ghost" icon={AlertIcon} onClick={() => openPanel('problems')}>
      {count === 0 ? `${problems.warnings.length} warnings` : count === 1 ? '1 problem' : `${count} problems`}
    </Button>
  );
}

/** Goes to a step by its id, its name or its type. */
function FindStep({ onOpenStep }: { readonly onOpenStep: (key: string) => void }) {
  const { state } = useEditor();
  const document = documentOf(state);
  const [query, setQuery] = useState('');
  const places = useMemo(() => placesOf(document), [document]);
  const find = ({ key }: KeyboardEvent): void => {
    if (key !== 'Enter' || query === '') return;
    const word = query.toLowerCase();
    const texts = places.map((place) => ({
      place,
      text: `${place.id} ${String(place.step.name ?? '')} ${place.type}`.toLowerCase(),
    }));
    const found =
      texts.find(({ place }) => place.id.toLowerCase() === word) ?? texts.find(({ text }) => text.includes(word));
    if (found === undefined) return;
    setQuery('');
    onOpenStep(pathText(found.place.path));
  };
  return (
    <span className={styles.find}>
      <Input
        id="find-step"
        type="search"
        aria-label="Find a step"
        placeholder="Find a step"
        list="steps-of-workflow"
        value={query}
        onChange={({ currentTarget: { value } }) => setQuery(value)}
        onKeyDown={find}
      />
      <datalist id="steps-of-workflow">
        {query.length > 0 &&
          places.slice(0, 500).map(({ id, type, path }) => <option key={pathText(path)} value={id} label={type} />)}
      </datalist>
    </span>
  );
}
