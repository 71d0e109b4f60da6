import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { ExecutionView, StepOverview } from '../../api/client';
import type { JsonObject } from '../../model/document';
import { layoutOf } from '../../model/layout';
import { cardOf, firstOfConcern } from '../../model/run-graph';
import { Card, Loaded } from '../../ui';
import { StepsListbox } from '../../ui/canvas/steps-listbox';
import { TriggersCard } from '../../ui/canvas/triggers-card';
import { Viewport } from '../../ui/canvas/viewport';
import { GraphCard } from './graph-card';
import styles from './graph.module.css';
import { documentQuery, overviewQuery } from './queries';

interface GraphTabProps {
  readonly run: ExecutionView;
  /** The path of the step whose panel is open. */
  readonly selected: string | undefined;
  readonly onOpenStep: (path: string) => void;
  readonly onOpenTrigger: () => void;
}

/** The document that the run executes as blocks, each step with its state. */
export function GraphTab(props: GraphTabProps) {
  const document = useQuery(documentQuery(props.run.id));
  const overview = useQuery(overviewQuery(props.run.id));
  return (
    <Card flush>
      <Loaded query={document}>{({ dsl }) => <Graph {...props} document={dsl} steps={overview.data?.steps} />}</Loaded>
    </Card>
  );
}

interface GraphProps extends GraphTabProps {
  readonly document: JsonObject;
  readonly steps: readonly StepOverview[] | undefined;
}

function Graph({ run, selected, onOpenStep, onOpenTrigger, document, steps }: GraphProps) {
  const layout = useMemo(() => layoutOf(document, false), [document]);
  const states = useMemo(() => new Map(steps?.map((step) => [step.path, step])), [steps]);
  const positions = useMemo(() => new Map(layout.stops.map(({ key }, index) => [key, index + 1])), [layout]);
  const selectedKey = selected === undefined ? undefined : cardOf(layout, selected);
  const [cursor, setCursor] = useState<string>();
  const concern = useFirst(steps === undefined ? undefined : (run.error?.step_id ?? firstOfConcern(steps) ?? null));
  const active = cursor ?? selectedKey ?? (concern ? cardOf(layout, concern) : undefined);
  const listbox = useRef<HTMLDivElement>(null);
  useFocusAfterClose(listbox, selected);

  const latest = useRef({ layout, states, onOpenStep });
  latest.current = { layout, states, onOpenStep };
  const open = useCallback((key: string): void => {
    const { layout, states, onOpenStep } = latest.current;
    const path = layout.steps.find((card) => card.key === key)?.planPath;
    if (path === undefined) return;
    setCursor(key);
    onOpenStep(states.get(path)?.shown_path ?? path);
  }, []);
  return (
    <div className={styles.graph} style={{ maxHeight: layout.height }}>
      <Viewport layout={layout} active={active}>
        {(shown) => (
          <>
            <TriggersCard layout={layout} name="Started by" kind={run.trigger_type} onOpen={onOpenTrigger} />
            <StepsListbox
              element={listbox}
              label="Steps of the run"
              layout={layout}
              active={active}
              onMove={setCursor}
              onEnter={open}
              onFocus={() => setCursor(active ?? layout.stops[0]?.key)}
            >
              {shown.steps.map((item) => (
                <GraphCard
                  key={item.key}
                  item={item}
                  state={states.get(item.planPath)}
                  over={run.status !== 'running'}
                  selected={item.key === selectedKey}
                  active={item.key === active}
                  position={positions.get(item.key) ?? 0}
                  count={layout.stops.length}
                  onOpen={open}
                />
              ))}
            </StepsListbox>
            {shown.lists.map(
              ({ key, empty }) =>
                empty !== null && (
                  <div
                    key={key}
                    className={styles.empty}
                    style={{ left: empty.x, top: empty.y, width: empty.width, height: empty.height }}
                  >
                    No steps
                  </div>
                ),
            )}
          </>
        )}
      </Viewport>
    </div>
  );
}

/** The first value that is known: a later one would move the drawing under the reader. */
function useFirst<T>(value: T | undefined): T | undefined {
  const first = useRef(value);
  first.current ??= value;
  return first.current;
}

/** A panel that is closed gives the focus back to the steps. */
function useFocusAfterClose(listbox: { readonly current: HTMLDivElement | null }, selected: string | undefined): void {
  const before = useRef(selected);
  useEffect(() => {
    const wasOpen = before.current !== undefined;
    before.current = selected;
    if (wasOpen && selected === undefined && window.document.activeElement === window.document.body)
      listbox.current?.focus({ preventScroll: true });
  }, [listbox, selected]);
}
