import { useQuery } from '@tanstack/react-query';
import type { DraftView, WorkflowView } from '../../api/client';
import type { JsonObject } from '../../model/document';
import { nodeTypesOf } from '../../model/node-types';
import { ErrorState, SkeletonRows } from '../../ui';
import { Editor } from './editor';
import styles from './editor.module.css';
import { editedQuery, nodeTypesQuery } from './queries';
import { editorRoute, NEW_ID } from './route';

/** What a new workflow begins with. */
const NEW_DOCUMENT: JsonObject = { id: 'new-workflow', trigger: { type: 'http', config: {} }, steps: [] };

/** The workflow editor: canvas, code and forms of one document. */
export function EditorPage() {
  const { id } = editorRoute.useParams();
  return id === NEW_ID ? <NewEditor /> : <SavedEditor key={id} id={id} />;
}

function NewEditor() {
  const types = useQuery(nodeTypesQuery);
  if (types.data === undefined) return <Waiting query={types} />;
  return <Editor workflow={null} draft={null} document={NEW_DOCUMENT} nodeTypes={nodeTypesOf(types.data.data)} />;
}

function SavedEditor({ id }: { readonly id: string }) {
  const types = useQuery(nodeTypesQuery);
  const edited = useQuery(editedQuery(id));
  if (edited.data === undefined) return <Waiting query={edited} />;
  if (types.data === undefined) return <Waiting query={types} />;
  const { workflow, draft }: { workflow: WorkflowView; draft: DraftView | null } = edited.data;
  return (
    <Editor
      workflow={workflow}
      draft={draft}
      document={draft?.dsl ?? workflow.dsl}
      nodeTypes={nodeTypesOf(types.data.data)}
    />
  );
}

interface WaitingProps {
  readonly query: { readonly isPending: boolean; readonly error: unknown; readonly refetch: () => unknown };
}

function Waiting({ query }: WaitingProps) {
  return (
    <div className={styles.loading}>
      <title>Editor · Everstep</title>
      <h1 className="visually-hidden">Editor</h1>
      {query.isPending ? (
        <SkeletonRows rows={10} label="Loading the workflow" />
      ) : (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      )}
    </div>
  );
}
