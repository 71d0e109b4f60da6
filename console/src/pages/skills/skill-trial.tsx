import { useState } from 'react';
import { api, type SkillView, type TrialView, type WorkflowDocument } from '../../api/client';
import { parseJsonObject } from '../../model/json-input';
import { scriptsOf, trialOf } from '../../model/skills';
import { Button, Card, Field, Form, JsonView, LinkButton, Notice, Select, Status, Textarea } from '../../ui';
import { RunsIcon, TryIcon } from '../../ui/icon';
import styles from './skills.module.css';

/** Runs a script of the skill, or lets a model work with it, as a step would. */
export function SkillTrial({ skill: { id, files } }: { readonly skill: SkillView }) {
  const scripts = scriptsOf(files);
  const [chosen, setChosen] = useState(scripts[0] ?? '');
  const [run, setRun] = useState<TrialView | null>(null);
  const options = [
    ...scripts.map((path) => ({ value: path, label: `Run ${path}` })),
    { value: '', label: 'Ask a model that follows it' },
  ];
  return (
    <div className={styles.stack}>
      <Card>
        <Form
          label="Try the skill"
          onSubmit={async ({ prompt = '', input = '' }) => {
            setRun(null);
            const act = chosen === '' ? { prompt } : { script: chosen, input: parseJsonObject(input) };
            const dsl = trialOf({ skill: id, act }) as unknown as WorkflowDocument;
            setRun(await api.workflows.try({ wait: true, body: { dsl } }));
          }}
        >
          {({ busy }) => (
            <>
              <Field label="What to try">
                <Select
                  name="what"
                  options={options}
                  value={chosen}
                  onChange={({ currentTarget: { value } }) => setChosen(value)}
                />
              </Field>
              {chosen === '' ? (
                <Field label="Prompt" hint="The model is the installation's default; its cost is counted.">
                  <Textarea name="prompt" rows={4} required />
                </Field>
              ) : (
                <Field label="Input" hint="A JSON object.">
                  <Textarea name="input" code rows={6} spellCheck={false} placeholder='{ "lines": [] }' />
                </Field>
              )}
              <div className={styles.actions}>
                <Button edits type="submit" kind="primary" icon={TryIcon} busy={busy}>
                  Try it
                </Button>
              </div>
            </>
          )}
        </Form>
      </Card>
      {run !== null && <Outcome run={run} />}
    </div>
  );
}

function Outcome({ run: { id, status, error, output } }: { readonly run: TrialView }) {
  return (
    <Card
      title="Result"
      actions={
        <LinkButton size="small" icon={RunsIcon} to="/runs/$id" params={{ id }}>
          Open the run
        </LinkButton>
      }
    >
      <div className={styles.stack}>
        <Status status={status} />
        {error !== null && <Notice tone="danger">{error.message}</Notice>}
        {output !== null && <JsonView value={output} />}
      </div>
    </Card>
  );
}
