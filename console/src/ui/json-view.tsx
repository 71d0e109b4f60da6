import { useState } from 'react';
import { MAX_SHOWN_MEMBERS, membersOf, previewOf, sizeOf } from '../model/json-tree';
import { Button } from './button';
import { classes } from './classes';
import { CopyButton } from './code';
import { ChevronRightIcon } from './icon';
import './json-view.css';

/** Levels that are open at first. */
const OPEN_LEVELS = 2;

/** A JSON value as a tree that opens and closes. Only open branches are rendered. */
export function JsonView({ value, label = 'JSON' }: { readonly value: unknown; readonly label?: string }) {
  return (
    <div className="json" role="group" aria-label={label}>
      <div className="json-tree">
        {sizeOf(value) === null ? <Plain value={value} /> : <Members value={value} level={0} />}
      </div>
      <CopyButton text={() => JSON.stringify(value, null, 2) ?? ''} label="Copy as JSON" />
    </div>
  );
}

function Members({ value, level }: { readonly value: unknown; readonly level: number }) {
  const [max, setMax] = useState(MAX_SHOWN_MEMBERS);
  const left = (sizeOf(value) ?? 0) - max;
  const members = membersOf(value, max);
  return (
    <>
      {members.length === 0 && <span className="json-empty">{Array.isArray(value) ? '[]' : '{}'}</span>}
      <ul>
        {members.map((node) => (
          <li key={node.key}>
            <Member name={node.key ?? ''} value={node.value} level={level} />
          </li>
        ))}
      </ul>
      {left > 0 && (
        <Button size="small" kind="ghost" onClick={() => setMax(max * 10)}>
          {`Show more (${left} left)`}
        </Button>
      )}
    </>
  );
}

function Member({ name, value, level }: { readonly name: string; readonly value: unknown; readonly level: number }) {
  const size = sizeOf(value);
  const [open, setOpen] = useState(level < OPEN_LEVELS - 1 && (size ?? 0) <= 20);
  if (size === null || size === 0)
    return (
      <div className="json-row json-leaf">
        <span className="json-key">{name}</span>
        <Plain value={value} />
      </div>
    );
  return (
    <>
      <button type="button" className="json-row" aria-expanded={open} onClick={() => setOpen(!open)}>
        <ChevronRightIcon size={14} aria-hidden="true" />
        <span className="json-key">{name}</span>
        {!open && <span className="json-preview">{previewOf(value)}</span>}
      </button>
      {open && (
        <div className="json-branch">
          <Members value={value} level={level + 1} />
        </div>
      )}
    </>
  );
}

function Plain({ value }: { readonly value: unknown }) {
  const kind = value === null ? 'null' : typeof value;
  return <span className={classes('json-value', `json-${kind}`)}>{JSON.stringify(value) ?? 'undefined'}</span>;
}
