import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
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

/** A new workflow that is edited: `created` is its id once it is saved; `left`: the address has it. */
interface NewSession {
  readonly number: number;
  readonly created: string | null;
  readonly left: boolean;
}

/** The workflow editor: canvas, code and forms of one document. */
export function EditorPage() {
  const { id } = editorRoute.useParams();
  const navigate = editorRoute.useNavigate();
  const [session, setSession] = useState<NewSession>({ number: 0, created: null, left: false });
  if (id === session.created && !session.left) setSession({ ...session, left: true });
  if (id === NEW_ID && session.left) setSession({ number: session.number + 1, created: null, left: false });
  const created = (to: string): void => {
    setSession({ ...session, created: to });
    void navigate({ to: '/workflows/$id', params: { id: to }, search: true, replace: true, ignoreBlocker: true });
  };
  // A new workflow stays in its editor, with its history, once it has an address of its own.
  if (id === NEW_ID || id === session.created) return <NewEditor key={session.number} onCreated={created} />;
  return <SavedEditor key={id} id={id} onCreated={created} />;
}

function NewEditor({ onCreated }: { readonly onCreated: (id: string) => void }) {
  const types = useQuery(nodeTypesQuery);
  if (types.data === undefined) return <Waiting query={types} />;
  const nodeTypes = nodeTypesOf(types.data.data);
  return <Editor workflow={null} draft={null} document={NEW_DOCUMENT} nodeTypes={nodeTypes} onCreated={onCreated} />;
}

interface SavedEditorProps {
  readonly id: string;
  readonly onCreated: (id: string) => void;
}

function SavedEditor({ id, onCreated }: SavedEditorProps) {
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
      onCreated={onCreated}
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
