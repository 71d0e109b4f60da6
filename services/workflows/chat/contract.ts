import type { Startable } from '../contract';

/** How fast a visitor may write. */
export interface ChatPace {
  /** Messages a minute, in the long run. */
  per_minute: number;
  /** Messages that he may send at once. */
  burst: number;
}

/** What people say of a chat when they open one. */
export interface ChatInput {
  /** Its name in the address; one in the whole installation. */
  slug: string;
  title: string;
  greeting?: string;
  /** The member of a request's body that holds the message. */
  input_field?: string;
  /** Where in the output of the run the reply stands: `text`, `answer.text`, `parts[0].text`. */
  output_field?: string;
  /** Web sites whose pages may use it; absent or empty: all. */
  allowed_origins?: string[];
  rate_limit?: Partial<ChatPace>;
}

/** A workflow that visitors talk to, as its tenant sees it. */
export interface ChatDeploymentView {
  slug: string;
  workflow_id: string;
  title: string;
  greeting: string;
  input_field: string;
  output_field: string;
  allowed_origins: string[];
  rate_limit: ChatPace;
  created_by: string;
  created_at: string;
}

/** What serving a visitor takes. Never leaves the services. */
export interface ChatDeployment extends Omit<ChatDeploymentView, 'workflow_id' | 'created_by' | 'created_at'> {
  /** Not the slug: that may be somebody else's tomorrow. */
  id: string;
  workflow: Startable;
}

export interface ChatActions {
  /** Lets visitors talk to a workflow, whatever its trigger. */
  'workflows.create_chat': (p: { id: string } & ChatInput) => ChatDeploymentView;
  'workflows.chats': (p: { id: string }) => { data: ChatDeploymentView[] };
  'workflows.remove_chat': (p: { id: string; slug: string }) => void;
  /** Internal: what is at a slug; null when there is nothing. */
  'workflows.chat': (p: { slug: string }) => ChatDeployment | null;
}
