import type { Role } from '../../../mixins/principal';

/** Who may call a route at the least; `public`: whoever knows its address. */
export type LeastRole = 'public' | Role;

/**
 * Every route and its least role, as promised: said here once more, on its own, so that neither a new route nor a changed
 * role goes unnoticed.
 */
const LINES: Readonly<Record<LeastRole, string>> = {
  public: `
    GET /.well-known/jwks.json
    GET /api/v1/auth/sso/authorize
    GET /api/v1/auth/sso/callback
    GET /api/v1/auth/sso/check
    GET /api/v1/auth/sso/metadata
    GET /api/v1/auth/suite/authorize
    GET /api/v1/auth/suite/callback
    GET /api/v1/executions/:id/approve/:step_id
    GET /api/v1/oauth/suite/authorize
    GET /api/v1/oauth/suite/callback
    GET /api/v1/oauth/notes/authorize
    GET /api/v1/oauth/notes/callback
    GET /api/v1/oauth/chat/authorize
    GET /api/v1/oauth/chat/callback
    GET /api/v1/files/:id/:filename
    GET /health
    GET /health/live
    GET /health/ready
    GET /openapi.json
    GET /docs
    GET /docs/app.js
    GET /docs/app.css
    GET /public/executions/:id
    GET /public/executions/:id/files
    GET /public/executions/:id/stream
    GET /public/chat/:slug
    GET /webhooks/:id
    GET /webhooks/messaging-a/:id
    GET /webhooks/messaging-b/:id
    POST /api/v1/auth/accept-invite
    POST /api/v1/auth/login
    POST /api/v1/auth/password-reset
    POST /api/v1/auth/password-reset/confirm
    POST /api/v1/auth/register
    POST /api/v1/auth/sso/callback
    POST /api/v1/auth/verify-email
    POST /public/chat/:slug
    POST /run/:id
    POST /webhooks/:id
    POST /webhooks/:id/sync
    POST /webhooks/billing-provider
    POST /webhooks/messaging-a/:id
    POST /webhooks/messaging-b/:id
    POST /webhooks/voice-provider`,
  member: `
    DELETE /api/v1/api-keys/:id
    DELETE /api/v1/workflows/:id/api-keys/:key_id
    DELETE /api/v1/workflows/:id/chat-deployments/:slug
    DELETE /api/v1/workflows/:id/steps/:step_id/pin
    DELETE /api/v1/workflows/:id/webhook-key
    GET /api/v1/api-keys
    GET /api/v1/approvals
    GET /api/v1/billing/plans
    GET /api/v1/billing/subscription
    GET /api/v1/connectors
    GET /api/v1/connectors/:name
    POST /api/v1/connectors/:name/actions/:action/test
    GET /api/v1/custom-nodes
    GET /api/v1/custom-nodes/:type
    DELETE /api/v1/knowledge-bases/:id
    DELETE /api/v1/knowledge-bases/:base_id/documents/:id
    GET /api/v1/knowledge-bases
    GET /api/v1/knowledge-bases/:id
    GET /api/v1/knowledge-bases/:id/documents
    GET /api/v1/knowledge-bases/:base_id/documents/:id
    GET /api/v1/knowledge-bases/:base_id/documents/:id/chunks
    POST /api/v1/knowledge-bases
    POST /api/v1/knowledge-bases/:base_id/documents
    POST /api/v1/knowledge-bases/:base_id/documents/:id/refresh
    POST /api/v1/knowledge-bases/:base_id/documents/upload
    POST /api/v1/knowledge-bases/:id/query
    PUT /api/v1/knowledge-bases/:id
    GET /api/v1/executions
    GET /api/v1/executions/:id
    GET /api/v1/executions/:id/detail
    GET /api/v1/executions/:id/stream
    POST /api/v1/executions/bulk
    GET /api/v1/executions/:id/timeline
    GET /api/v1/executions/visibility
    GET /api/v1/llm/models
    GET /api/v1/me
    GET /api/v1/metrics
    GET /api/v1/node-types
    GET /api/v1/oauth/connections
    GET /api/v1/oauth/connections/:id/token
    GET /api/v1/oauth/status
    DELETE /api/v1/oauth/connections/:id
    POST /api/v1/oauth/connections/:id/refresh
    POST /api/v1/oauth/claims
    POST /api/v1/oauth/suite/start
    POST /api/v1/oauth/notes/start
    POST /api/v1/oauth/chat/start
    POST /api/v1/connections
    GET /api/v1/organizations
    POST /api/v1/organizations
    GET /api/v1/organizations/:id
    GET /api/v1/secrets
    GET /api/v1/skills
    GET /api/v1/skills/:id
    GET /api/v1/skills/published
    GET /api/v1/skills/published/:id
    GET /api/v1/skills/registry/search
    POST /api/v1/skills
    POST /api/v1/skills/parse
    POST /api/v1/skills/registry/install
    PUT /api/v1/skills/:id
    DELETE /api/v1/skills/:id
    GET /api/v1/tenant
    GET /api/v1/variables
    GET /api/v1/workflows
    GET /api/v1/workflows/:id
    GET /api/v1/workflows/:id/api-keys
    GET /api/v1/workflows/:id/chat-deployments
    GET /api/v1/workflows/:id/deliveries
    GET /api/v1/workflows/:id/deliveries/:delivery_id
    GET /api/v1/workflows/:id/export
    GET /api/v1/workflows/:id/health
    GET /api/v1/workflows/:id/schedule
    POST /api/v1/workflows/:id/versions/:version/restore
    POST /api/v1/workflows/:id/versions
    GET /api/v1/workflows/:id/versions/:from/diff/:to
    GET /api/v1/workflows/:id/versions/:version
    GET /api/v1/workflows/:id/versions
    GET /api/v1/workflows/health
    GET /api/v1/workspaces/runs/:exec_id/files
    GET /api/v1/workspaces/runs/:exec_id/files/:path*
    POST /api/v1/api-keys
    POST /api/v1/auth/logout
    POST /api/v1/auth/password
    POST /api/v1/auth/verify-email/resend
    POST /api/v1/custom-nodes/:type/test
    POST /api/v1/executions/:id/cancel
    POST /api/v1/executions/:id/retry
    POST /api/v1/executions/:id/signal
    POST /api/v1/executions/:id/steps/:step_id/feedback
    POST /api/v1/playground/run
    POST /api/v1/signals
    POST /api/v1/test/bot-messenger
    POST /api/v1/workflows
    POST /api/v1/workflows/:id/api-keys
    POST /api/v1/workflows/:id/chat-deployments
    POST /api/v1/workflows/:id/deliveries/:delivery_id/redeliver
    POST /api/v1/workflows/:id/steps/:step_id/test
    POST /api/v1/workflows/:id/trigger
    POST /api/v1/workflows/generate
    POST /api/v1/workflows/import
    POST /api/v1/workflows/validate
    PUT /api/v1/workflows/:id
    PUT /api/v1/workflows/:id/disable
    PUT /api/v1/workflows/:id/enable
    PUT /api/v1/workflows/:id/steps/:step_id/pin
    PUT /api/v1/workflows/:id/webhook-key`,
  admin: `
    DELETE /api/v1/connectors/:name
    POST /api/v1/connectors/import
    DELETE /api/v1/custom-nodes/:type
    DELETE /api/v1/secrets/:name
    DELETE /api/v1/team/invites/:id
    DELETE /api/v1/variables/:name
    DELETE /api/v1/workflows/:id
    GET /api/v1/audit
    GET /api/v1/audit/verify
    GET /api/v1/system/keys
    GET /api/v1/system/workers
    GET /api/v1/team/invites
    GET /api/v1/team/members
    POST /api/v1/custom-nodes
    POST /api/v1/secrets
    POST /api/v1/skills/:id/publish
    POST /api/v1/skills/:id/unpublish
    POST /api/v1/team/invite
    POST /api/v1/workflows/:id/approve
    PUT /api/v1/custom-nodes/:type
    PUT /api/v1/variables/:name`,
  owner: `
    DELETE /api/v1/organizations/:id/tenants/:tenant_id
    DELETE /api/v1/sso/config
    DELETE /api/v1/team/members/:id
    GET /api/v1/sso/config
    POST /api/v1/billing/checkout
    POST /api/v1/billing/portal
    POST /api/v1/organizations/:id/tenants/:tenant_id
    PUT /api/v1/sso/config
    PUT /api/v1/team/members/:id/role
    PUT /api/v1/tenant/settings`,
};

/** By method and path. */
export const LEAST_ROLES: ReadonlyMap<string, LeastRole> = new Map(
  Object.entries(LINES).flatMap(([role, lines]) =>
    lines
      .trim()
      .split('\n')
      .map((line) => [line.trim(), role as LeastRole] as const),
  ),
);
