import type { Answer } from './messages-answer.js';

/** What the user of the demo writes. */
export const prompts = {
  first: 'Our signing key expires on Friday. What should I do?',
  second: 'Yes, please.',
  third: 'Thanks. Which ticket was that again?',
} as const;

/** What the endpoint answers to each request, in the place of a model. */
export const answers: readonly Answer[] = [
  'Rotate it before then. Shall I look up how?',
  {
    content: [
      { type: 'tool_use', id: 'toolu_1', name: 'search_docs', input: { query: 'rotate a signing key' } },
    ],
  },
  'DOC-7: create the new key, deploy it, revoke the old one. Deploy before Friday 12:00 UTC.',
  'I cannot look it up: the tickets server is not connected any more.',
];
