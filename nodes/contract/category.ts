/** Categories of node types and connectors, in display order. */
export const CATEGORIES = [
  'Control',
  'Flow',
  'Data',
  'Code',
  'HTTP',
  'Storage',
  'AI',
  'Knowledge',
  'Communication',
  'Productivity',
  'Project management',
  'Marketing',
  'CRM',
  'Support',
  'Commerce',
  'Finance',
  'Development',
  'Operations',
  'Content',
  'Custom',
] as const;

export type Category = (typeof CATEGORIES)[number];
