export const shells = ['bash', 'zsh', 'fish'] as const;
