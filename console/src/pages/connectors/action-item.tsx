import type { ActionView } from '../../api/client';
import { schemaRows } from '../../model/connectors';
import { Badge, CopyText } from '../../ui';
import styles from './connectors.module.css';

/** An action, with the members of its input and output when it is opened. */
export function ActionItem({ action }: { readonly action: ActionView }) {
  const { title, description, type, effect, repeatable, paged, input, output } = action;
  return (
    <li>
      <details>
        <summary className={styles.summary}>
          <span className={styles.title}>{title}</span>
          <Badge tone={effect === 'read' ? 'neutral' : 'info'}>{effect === 'read' ? 'Reads' : 'Writes'}</Badge>
        </summary>
        <div className={styles.details}>
          <p>{description}</p>
          <p className={styles.meta}>
            {repeatable
              ? 'It may be repeated: an attempt that was cut off is made again.'
              : 'It is not repeated by itself after an attempt that was cut off.'}
            {paged && ' It reads page after page up to the limit.'}
          </p>
          <CopyText text={type} />
          <Members title="Takes" schema={input} />
          <Members title="Answers" schema={output} />
        </div>
      </details>
    </li>
  );
}

function Members({ title, schema }: { readonly title: string; readonly schema: unknown }) {
  const rows = schemaRows(schema);
  if (rows.length === 0) return null;
  return (
    <section>
      <h4 className={styles.heading}>{title}</h4>
      <dl className={styles.members}>
        {rows.map(({ name, type, isRequired, description }) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
              <span className={styles.meta}>{type}</span>
              {isRequired && <span className={styles.required}>required</span>}
            </dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
