from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("proposals", "0003_what_agents_spend")]

    operations = [
        migrations.AddIndex(
            model_name="revision",
            index=models.Index(fields=["material_digest"], name="proposals_same_meaning"),
        ),
    ]
