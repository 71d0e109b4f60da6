import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useId, useState } from 'react';
import { formatCount } from '../../model/format';
import { inItem, type LoopItem, loopItems } from '../../model/loop-path';
import { IconButton } from '../../ui';
import { ChevronLeftIcon, ChevronRightIcon } from '../../ui/icon';
import '../../ui/field.css';
import { loopQuery } from './queries';
import styles from './run.module.css';

interface ItemNavigatorProps {
  readonly runId: string;
  /** The path of a step in the run. */
  readonly path: string;
  readonly onOpenStep: (path: string) => void;
}

/** Leads from a step in a loop to the same step in another item, for each loop around it. */
export function ItemNavigator({ runId, path, onOpenStep }: ItemNavigatorProps) {
  return loopItems(path).map((item) => (
    <Navigator key={item.loop} runId={runId} item={item} onGo={(index) => onOpenStep(inItem(path, item, index))} />
  ));
}

interface NavigatorProps {
  readonly runId: string;
  readonly item: LoopItem;
  readonly onGo: (index: number) => void;
}

function Navigator({ runId, item: { loop, id, kind, index }, onGo }: NavigatorProps) {
  const inputId = useId();
  const progress = useQuery(loopQuery(runId, loop)).data?.loop;
  const last = (progress?.total ?? progress?.begun ?? index + 1) - 1;
  const word = kind === 'item' ? 'Item' : 'Iteration';
  const [text, setText] = useState(String(index));
  useEffect(() => setText(String(index)), [index]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const next = Number(text);
    if (text !== '' && Number.isInteger(next)) onGo(Math.min(last, Math.max(0, next)));
  };
  return (
    <form className={styles.navigator} onSubmit={submit} aria-label={`${word} of ${id}`}>
      <IconButton
        icon={ChevronLeftIcon}
        label={`Previous ${word.toLowerCase()}`}
        size="small"
        disabled={index === 0}
        onClick={() => onGo(index - 1)}
      />
      <label htmlFor={inputId}>{word}</label>
      <input
        id={inputId}
        className={`input ${styles.index}`}
        type="number"
        min={0}
        max={last}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <span className="cell-muted">{`0 to ${formatCount(last)} of ${id}`}</span>
      <IconButton
        icon={ChevronRightIcon}
        label={`Next ${word.toLowerCase()}`}
        size="small"
        disabled={index >= last}
        onClick={() => onGo(index + 1)}
      />
    </form>
  );
}
