/** Disposes of what a fixture makes when its test has ended. */
export async function untilEnd<T extends AsyncDisposable | Disposable>(
  onTestFinished: (end: () => Promise<void>) => void,
  making: T | Promise<T>,
): Promise<T> {
  const made = await making;
  onTestFinished(async () => {
    if (Symbol.asyncDispose in made) await made[Symbol.asyncDispose]();
    else made[Symbol.dispose]();
  });
  return made;
}
