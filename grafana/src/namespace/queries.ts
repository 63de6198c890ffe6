export const itself = { matchers: ['namespace="$namespace"'] } as const;
