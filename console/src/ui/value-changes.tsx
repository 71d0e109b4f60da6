import './value-changes.css';

const MAX_SHOWN_CHARS = 400;

interface ValueChange {
  /** Such as `items[2].price`; empty for the value itself. */
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

const shortText = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text;
};

/** The places at which two values differ, each with what is there before and after; a side without a value is left out. */
export function ValueChanges({
  changes,
  sides = ['Before', 'After'],
}: {
  readonly changes: readonly ValueChange[];
  /** The names of the two values. */
  readonly sides?: readonly [string, string];
}) {
  return (
    <dl className="value-changes">
      {changes.map(({ path, before, after }) => (
        <div key={path}>
          <dt>{path === '' ? 'The whole value' : path}</dt>
          {before !== undefined && <Value side={sides[0]} kind="before" value={before} />}
          {after !== undefined && <Value side={sides[1]} kind="after" value={after} />}
        </div>
      ))}
    </dl>
  );
}

const Value = ({ side, kind, value }: { side: string; kind: 'before' | 'after'; value: unknown }) => (
  <dd className={`value-${kind}`}>
    <span className="visually-hidden">{`${side}: `}</span>
    {shortText(value)}
  </dd>
);
