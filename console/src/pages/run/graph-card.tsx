import { memo } from 'react';
import type { StepOverview } from '../../api/client';
import type { LayoutStep } from '../../model/layout';
import { type CardText, cardText } from '../../model/run-graph';
import { statusLook } from '../../model/status';
import { classes, Duration, Status } from '../../ui';
import { cardClass, domId, NodeCard } from '../../ui/canvas/node-card';
import { RetryIcon } from '../../ui/icon';
import { TypeIcon } from '../../ui/canvas/type-icon';
import styles from './graph.module.css';

interface GraphCardProps {
  readonly item: LayoutStep;
  /** Undefined until it is loaded. */
  readonly state: StepOverview | undefined;
  /** The run has ended. */
  readonly over: boolean;
  readonly selected: boolean;
  readonly active: boolean;
  /** Among all that the arrow keys reach, of which only those in sight are drawn. */
  readonly position: number;
  readonly count: number;
  readonly onOpen: (key: string) => void;
}

/** A step of the run: its name over its state in words. */
export const GraphCard = memo(function GraphCard(props: GraphCardProps) {
  const { item, state, over, selected, active, position, count, onOpen } = props;
  const { key, step, x, y, width, height } = item;
  const text = state && cardText(state, over);
  const name = typeof step.name === 'string' ? step.name : String(step.id);
  return (
    <div
      id={domId(key)}
      role="option"
      aria-selected={selected}
      aria-posinset={position}
      aria-setsize={count}
      className={classes(cardClass({ selected, active }), styles.card)}
      data-tone={text?.tone}
      style={{ left: x, top: y, width, height }}
      title={[name, String(step.type), ...(state && text ? wordsOf(state, text) : [])].join(' · ')}
      onClick={() => onOpen(key)}
    >
      <NodeCard
        glyph={<TypeIcon type={step.type} />}
        name={name}
        kind={state && text && <State state={state} text={text} />}
        marks={state !== undefined && state.attempt > 1 && <Attempts count={state.attempt} />}
      />
    </div>
  );
});

/** What has no room in a card. */
const wordsOf = ({ status, error }: StepOverview, { label, details }: CardText): string[] =>
  [statusLook(status).label, label, ...details, error?.message].filter((part) => part !== undefined);

function State({ state: { status, loop }, text }: { readonly state: StepOverview; readonly text: CardText }) {
  return (
    <>
      {loop && <span className="visually-hidden">{statusLook(status).label}</span>}
      <Status status={text.status} {...(text.label === undefined ? {} : { label: text.label })} />
      {text.details.map((part) => (
        <span key={part} className={styles.detail}>
          {part}
        </span>
      ))}
      {text.since !== null && (
        <span className={styles.detail}>
          <Duration from={text.since} to={null} />
        </span>
      )}
    </>
  );
}

function Attempts({ count }: { readonly count: number }) {
  return (
    <span className={styles.attempts}>
      <RetryIcon size={14} aria-hidden="true" />
      {count}
      <span className="visually-hidden"> attempts</span>
    </span>
  );
}
