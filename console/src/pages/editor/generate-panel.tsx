import { useState } from 'react';
import { api, type GeneratedWorkflow } from '../../api/client';
import { ModelFault } from '../../app/model-fault';
import { documentOf } from '../../model/editor-state';
import { Button, Field, Notice, SidePanel, Textarea, toast } from '../../ui';
import { GenerateIcon } from '../../ui/icon';
import { DiffView } from './diff-view';
import { useEditor } from './editor-context';
import styles from './editor.module.css';

/** Changes the document by a prompt: the result is shown as a difference, and taken or not. */
export function GeneratePanel({ onClose }: { readonly onClose: () => void }) {
  const { state, dispatch } = useEditor();
  const document = documentOf(state);
  const [prompt, setPrompt] = useState('');
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<GeneratedWorkflow | null>(null);
  const [fault, setFault] = useState<unknown>(null);
  const isNew = !Array.isArray(document.steps) || document.steps.length === 0;
  const generate = (): void => {
    setBusy(true);
    setFault(null);
    setResult(null);
    api.ai
      .generate({ body: { prompt, ...(isNew ? {} : { dsl: document }) } })
      .then(setResult, setFault)
      .finally(() => setBusy(false));
  };
  return (
    <SidePanel title={isNew ? 'Generate a workflow' : 'Change by prompt'} onClose={onClose}>
      {fault !== null && <ModelFault fault={fault} />}
      <Field label="What should it do?" hint="Nothing is saved; you see the changes before you take them.">
        <Textarea
          rows={5}
          autoFocus
          value={prompt}
          placeholder="When an order comes in by webhook, ask for approval above 1000 euros, then post it to the shop."
          onChange={({ currentTarget: { value } }) => setPrompt(value)}
        />
      </Field>
      <div>
        <Button edits kind="primary" icon={GenerateIcon} busy={busy} disabled={prompt.trim() === ''} onClick={generate}>
          Generate
        </Button>
      </div>
      {result !== null && (
        <>
          {result.notes !== '' && <p>{result.notes}</p>}
          {!result.valid && (
            <Notice tone="warn">{`The result has ${result.errors.length} problems, which the editor shows once you take it.`}</Notice>
          )}
          {result.diff !== undefined && <DiffView diff={result.diff} />}
          <div className={styles.chips}>
            <Button
              kind="primary"
              onClick={() => {
                dispatch({ kind: 'replace', document: result.dsl });
                toast('The result is in the editor; undo takes it back');
                onClose();
              }}
            >
              Take it
            </Button>
            <Button kind="ghost" onClick={() => setResult(null)}>
              Discard
            </Button>
          </div>
        </>
      )}
    </SidePanel>
  );
}
