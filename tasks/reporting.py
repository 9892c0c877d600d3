"""The task that shows the plan of a build beside its run; never cached, for it says what changed since."""

from prefect import task
from prefect.artifacts import create_table_artifact
from prefect.cache_policies import NO_CACHE

from storage.plan.steps import summary
from storage.plan.walking import plan
from storage.planning import Order
from storage.store import Store


@task(name="plan", task_run_name="plan", cache_policy=NO_CACHE, persist_result=False)
def report_plan(order: Order, *, store: Store) -> str:
    """What a build will do with each artifact, as a table artifact; and in one line."""
    steps = plan(order, store)
    rows = [
        {
            "artifact": step.artifact,
            "plan": step.status.value,
            "to compute": step.amount,
            "why": "; ".join(step.reasons),
        }
        for step in steps
    ]
    create_table_artifact(key="plan", table=rows, description=summary(steps))
    return summary(steps)
