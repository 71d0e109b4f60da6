/** A named query of the list of runs. `trials`: whether trials are shown. */
export interface RunView {
  readonly name: string;
  readonly query: string;
  readonly trials: boolean;
}

type Views = readonly RunView[];

/** Fields by which a query itself says whether it is about trials. */
const NAMES_RUNS = /\b(TriggerType|WorkflowId|RunId|ParentWorkflowId)\b/i;

/** Whether a query finds trials although they are not shown: it names runs, or what started them. */
export const asksForTrials = (query: string): boolean => NAMES_RUNS.test(query.replaceAll(/"[^"]*"|'[^']*'/g, '""'));

/** The views with one more; one of the same name is replaced in its place. */
export function withView(views: Views, view: RunView): RunView[] {
  const at = views.findIndex(({ name }) => name === view.name);
  return at === -1 ? [...views, view] : views.with(at, view);
}

export const withoutView = (views: Views, name: string): RunView[] => views.filter((each) => each.name !== name);

/** A view under another name, in its place; one that had the name already is replaced by it. */
export const renamedView = (views: Views, name: string, to: string): RunView[] =>
  views
    .filter((each) => each.name === name || each.name !== to)
    .map((each) => (each.name === name ? { ...each, name: to } : each));
