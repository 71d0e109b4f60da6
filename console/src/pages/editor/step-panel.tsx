import { type ReactNode, useState } from 'react';
import { blockTypeOf, type Path, pathText, renameStep, setValue, type StepPlace } from '../../model/document';
import { documentOf } from '../../model/editor-state';
import { Field, Input, Notice, SidePanel, Tabs } from '../../ui';
import { BlockLists } from './block-lists';
import { ConfigForm } from './config-form';
import { useEditor } from './editor-context';
import styles from './editor.module.css';
import { StepDocs } from './step-docs';
import { StepOutcome } from './step-outcome';
import { StepPolicies } from './step-policies';
import { ValuePicker } from './value-picker';

type Part = 'settings' | 'flow' | 'output' | 'docs';

interface StepPanelProps {
  readonly place: StepPlace;
  /** False when it was opened by the mouse: the keys then stay with the canvas. */
  readonly takesFocus: boolean;
  readonly onClose: () => void;
}

/** The settings of one step: a form made of the schema of its type. */
export function StepPanel({ place, takesFocus, onClose }: StepPanelProps) {
  const { typeOf } = useEditor();
  const [part, setPart] = useState<Part>('settings');
  const type = typeOf(place.type);
  const tabs: readonly { readonly key: Part; readonly label: string }[] = [
    { key: 'settings', label: 'Settings' },
    { key: 'flow', label: 'Errors and order' },
    { key: 'output', label: 'Data' },
    { key: 'docs', label: 'Docs' },
  ];
  return (
    <SidePanel
      title={stepTitle(place)}
      aside={<span className="cell-muted">{type?.title ?? place.type}</span>}
      takesFocus={takesFocus}
      onClose={onClose}
    >
      <div>
        <Tabs label="Parts of the step" tabs={tabs} active={part} onChange={setPart}>
          <div className={styles.form}>{partOf(part, place)}</div>
        </Tabs>
      </div>
    </SidePanel>
  );
}

const stepTitle = ({ step, id }: StepPlace): string =>
  typeof step.name === 'string' && step.name !== '' ? step.name : id || 'Step';

function partOf(part: Part, place: StepPlace): ReactNode {
  switch (part) {
    case 'settings':
      return <Settings place={place} />;
    case 'flow':
      return <StepPolicies place={place} />;
    case 'output':
      return <StepOutcome place={place} />;
    case 'docs':
      return <StepDocs type={place.type} />;
  }
}

function Settings({ place }: { readonly place: StepPlace }) {
  const { state, edit, typeOf, problems } = useEditor();
  const document = documentOf(state);
  const { step, path } = place;
  const type = typeOf(step.type);
  const here = pathText(path);
  const general = problems.errors.filter(({ path: at }) => [here, `${here}.type`, `${here}.config`].includes(at));
  const set = (value: unknown, at: Path): void => edit(setValue(document, at, value), pathText(at));
  return (
    <>
      {general.map(({ path: at, message, hint }) => (
        <Notice key={`${at} ${message}`} tone="danger">
          {[message, hint].filter(Boolean).join('; ')}
        </Notice>
      ))}
      <div className={styles.names}>
        <IdField key={place.id} place={place} />
        <Field label="Name" optional>
          <Input
            value={typeof step.name === 'string' ? step.name : ''}
            placeholder={type?.title}
            onChange={({ currentTarget: { value } }) => set(value === '' ? undefined : value, [...path, 'name'])}
          />
        </Field>
      </div>
      {blockTypeOf(step.type) !== null && <BlockLists place={place} />}
      <ConfigForm step={step} path={path} onChange={set} />
      <ValuePicker stepId={place.id} />
    </>
  );
}

/** The id is changed as a whole, since every reference to it follows. */
function IdField({ place }: { readonly place: StepPlace }) {
  const { state, edit } = useEditor();
  const [text, setText] = useState(place.id);
  const [problem, setProblem] = useState<string | null>(null);
  const rename = (): void => {
    if (text === place.id) return;
    const result = renameStep(documentOf(state), place.path, text);
    if (result.ok) edit(result);
    else setProblem(result.problem);
  };
  return (
    <Field label="Id" error={problem}>
      <Input
        code
        value={text}
        onChange={({ currentTarget: { value } }) => {
          setText(value);
          setProblem(null);
        }}
        onBlur={rename}
        onKeyDown={({ key }) => {
          if (key === 'Enter') rename();
        }}
      />
    </Field>
  );
}
