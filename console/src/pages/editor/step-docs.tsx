import { configFields } from '../../model/config-form';
import { Badge, KeyValues } from '../../ui';
import { useEditor } from './editor-context';
import styles from './editor.module.css';

const EFFECTS: Readonly<Record<string, string>> = {
  pure: 'Computes only; it may run any number of times.',
  read: 'Reads from another service, and changes nothing there.',
  write: 'Changes something outside of the run.',
};

/** What a type of steps does, what it takes and what it gives. */
export function StepDocs({ type }: { readonly type: string }) {
  const { typeOf } = useEditor();
  const row = typeOf(type);
  if (row === undefined) return <p className="cell-muted">There is no type of this name.</p>;
  return (
    <div className={styles.docs}>
      <p>{row.description}</p>
      <KeyValues
        rows={[
          ['Type', <code key="type">{row.type}</code>],
          ['Also', row.aliases.length === 0 ? null : row.aliases.join(', ')],
          ['Effect', EFFECTS[row.effect] ?? row.effect],
        ]}
      />
      <Members title="Settings" schema={row.input} />
      <Members title="Output" schema={row.output} />
    </div>
  );
}

function Members({ title, schema }: { readonly title: string; readonly schema: unknown }) {
  const fields = configFields(schema);
  if (fields.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <dl className={styles.members}>
        {fields.map(({ name, hint, required, example }) => (
          <div key={name}>
            <dt>
              <code>{name}</code> {required && title === 'Settings' && <Badge>required</Badge>}
            </dt>
            <dd>
              {hint}
              {example !== null && <code className={styles.example}>{example}</code>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
